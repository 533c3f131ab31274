package signin_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/certtest"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/sandbox"
)

// recorder is what the platform sees of its callers.
type recorder struct {
	http.Handler
	mu    sync.Mutex
	shown map[string]string // by the beginning of a path
}

func (d *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	if strings.HasPrefix(r.URL.Path, "/api/packages") || strings.HasPrefix(r.URL.Path, "/api/transaction") {
		d.shown[r.URL.Path[:len("/api/pack")]] = r.Header.Get("Authorization")
	} else if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		d.shown["certificate"] = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	d.mu.Unlock()
	r.Header.Del("Authorization") // the sandbox asks for none
	if strings.HasPrefix(r.URL.Path, "/api/transaction") {
		r.Header.Set("Authorization", "Bearer sandbox")
	}
	d.Handler.ServeHTTP(w, r)
}

func (d *recorder) saw(what string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown[what]
}

// pair returns a certificate of this name, which is good for an hour from begin, and its key.
func pair(t *testing.T, name string, begin time.Time) (certificate, key string) {
	t.Helper()
	return certtest.Pair(t, x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: begin, NotAfter: begin.Add(time.Hour)})
}

// folder holds the secrets of a program, as Kubernetes mounts them: each is a link into ..data,
// which is a link itself.
type folder struct {
	t   *testing.T
	dir string
	n   int
}

func (f *folder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// put replaces all secrets at once, by another ..data.
func (f *folder) put(secrets map[string]string) {
	f.t.Helper()
	f.n++
	data := filepath.Join(f.dir, "..data"+string(rune('0'+f.n)))
	f.must(os.Mkdir(data, 0o700))
	for name, text := range secrets {
		f.must(os.WriteFile(filepath.Join(data, name), []byte(text), 0o600))
		if f.n == 1 {
			f.must(os.Symlink(filepath.Join("..data", name), filepath.Join(f.dir, name)))
		}
	}
	f.must(os.Symlink(filepath.Base(data), filepath.Join(f.dir, "..next")))
	f.must(os.Rename(filepath.Join(f.dir, "..next"), filepath.Join(f.dir, "..data")))
}

// edit writes over a secret in its place.
func (f *folder) edit(name, text string) {
	f.t.Helper()
	f.must(os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
}

// rename puts a new file in the place of a secret.
func (f *folder) rename(name, text string) {
	f.t.Helper()
	f.must(os.WriteFile(filepath.Join(f.dir, "..new"), []byte(text), 0o600))
	f.must(os.Rename(filepath.Join(f.dir, "..new"), filepath.Join(f.dir, name)))
}

// A program whose secrets change one after the other goes on with the new ones; with what it
// cannot use it goes on as before. A person stays signed in all the time.
func TestSecrets_ChangeWhileRunning(t *testing.T) {
	platform, err := sandbox.New(sandbox.Options{RPID: "cs.example", RPOrigins: []string{"https://cs.example"}, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	at := &recorder{Handler: platform, shown: map[string]string{}}
	server := httptest.NewUnstartedServer(at)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	t.Cleanup(func() { platform.Close(); server.Close() })
	signing := httptest.NewServer(at)
	t.Cleanup(signing.Close)
	store := redistest.Start(t)
	admin := store.Client() // stays signed in
	admits := func(words ...any) {
		t.Helper()
		if err := admin.Do(t.Context(), words...).Err(); err != nil {
			t.Fatal(err)
		}
	}

	admits("acl", "setuser", "default", "resetpass", ">first")
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))

	f := &folder{t: t, dir: t.TempDir()}
	certificate, key := pair(t, "before", time.Now().Add(-time.Minute))
	one, two := strings.Repeat("a73c", 16), strings.Repeat("b84d", 16)
	secrets := map[string]string{
		"IDENTITY_CLIENT_CERT": certificate, "IDENTITY_CLIENT_KEY": key, "IDENTITY_CA": authority, "SIGNING_API_KEY": "before", "SIGNING_CALLBACK_KEY": "before",
		"REDIS_URL": "redis://:first@" + store.Addr, "SESSION_KEYS": one, "ACCESS_KEYS": one, "DECOY_KEY": strings.Repeat("5ed1", 16), "OPERATORS": "carol@sandbox\n",
	}
	f.put(secrets)
	settings := []string{"PUBLIC_ORIGIN=https://cs.example", "PLATFORM_URL=" + server.URL, "SIGNING_URL=" + signing.URL, "RATE_LOOKUP=off"}
	for name := range secrets {
		settings = append(settings, name+"_FILE="+filepath.Join(f.dir, name))
	}
	log := &logtest.Log{}
	app := e2etest.InProduction(t, log, settings...)
	alice := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	goesOn := func(when string) {
		t.Helper()
		if status := alice.Send("GET", "/session", nil).Status; status != http.StatusOK {
			t.Errorf("%s: alice's session is answered %d", when, status)
		}
	}
	shown := func(what, want string, ask string) {
		t.Helper()
		e2etest.Eventually(t, want+" is shown", func() bool { alice.Send("GET", ask, nil); return at.saw(what) == want })
		goesOn(want)
	}
	operators := func(user, when string, want int) {
		t.Helper()
		client := e2etest.Browser(t, app).SignedIn(user)
		e2etest.Eventually(t, when, func() bool { return client.Send("GET", "/people", nil).Status == want })
	}
	callback := func(key string) int {
		return e2etest.Browser(t, app).Send("POST", "/callbacks/signing", map[string]any{}, "Authorization", "Basic "+key).Status
	}
	goesOn("at first")

	// Kubernetes changes all at once.
	certificate, key = pair(t, "linked", time.Now().Add(-time.Minute))
	secrets["IDENTITY_CLIENT_CERT"], secrets["IDENTITY_CLIENT_KEY"], secrets["SESSION_KEYS"], secrets["ACCESS_KEYS"] = certificate, key, one+","+two, one+","+two
	secrets["SIGNING_API_KEY"], secrets["SIGNING_CALLBACK_KEY"], secrets["OPERATORS"] = "linked", "linked", "# helpers\nbob@sandbox\n"
	f.put(secrets)
	shown("certificate", "linked", "/users/alice@sandbox/authenticators")
	shown("/api/pack", "Basic linked", "/api/packages/unknown")
	operators("bob@sandbox", "bob is an operator", http.StatusOK)
	operators("carol@sandbox", "carol is none any more", http.StatusNotFound)
	e2etest.Eventually(t, "the new callback key", func() bool {
		return callback("linked") == http.StatusNoContent && callback("before") == http.StatusUnauthorized
	})

	// One after the other, in its place and by a new file; at once when it is asked for.
	f.edit("SESSION_KEYS", two+","+one)
	app.Reload()
	goesOn("with the new session key first")
	f.rename("SIGNING_API_KEY", "renamed")
	app.Reload()
	shown("/api/pack", "Basic renamed", "/api/packages/unknown")
	admits("acl", "setuser", "default", ">second")
	f.rename("REDIS_URL", "redis://:second@"+store.Addr)
	e2etest.Eventually(t, "the password is read", func() bool {
		return e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, `countersign_secret_reloads_total{name="COUNTERSIGN_REDIS_URL",result="accepted"} 1`)
	})
	admits("acl", "setuser", "default", "<first")
	admits("client", "kill", "type", "normal", "skipme", "yes")
	goesOn("with the new password alone")

	// What cannot be used changes nothing.
	expired, expiredKey := pair(t, "expired", time.Now().Add(-2*time.Hour))
	f.rename("IDENTITY_CLIENT_CERT", expired)
	f.rename("IDENTITY_CLIENT_KEY", expiredKey)
	f.edit("SESSION_KEYS", "no-key-at-all")
	f.edit("REDIS_URL", "redis://:second@127.0.0.1:1")
	f.edit("OPERATORS", "")
	f.must(os.Remove(filepath.Join(f.dir, "SIGNING_API_KEY")))
	app.Reload()
	for _, name := range []string{"IDENTITY_CLIENT_CERT", "SESSION_KEYS", "REDIS_URL", "OPERATORS", "SIGNING_API_KEY"} {
		e2etest.Eventually(t, name+" is refused", func() bool {
			return e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, `countersign_secret_reloads_total{name="COUNTERSIGN_`+name+`",result="refused"} 1`)
		})
	}
	shown("certificate", "linked", "/users/alice@sandbox/authenticators")
	shown("/api/pack", "Basic renamed", "/api/packages/unknown")
	operators("bob@sandbox", "bob is still an operator", http.StatusOK)
	if ready := e2etest.Asked(t, app, "/readyz").Status; ready != http.StatusOK {
		t.Errorf("/readyz is %d", ready)
	}
	for _, secret := range []string{one, two, "no-key-at-all", "second", "renamed", "PRIVATE KEY"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
	if n := strings.Count(log.String(), "setting not reloaded"); n != 5 {
		t.Errorf("%d lines about what was refused: %s", n, log.String())
	}
}
