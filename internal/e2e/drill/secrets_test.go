package drill_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/certtest"
	"countersign/internal/e2e/e2etest"
)

// front is in front of the platform: it asks for clients' certificates, and remembers who came
// with what.
type front struct {
	*httptest.Server
	mu    sync.Mutex
	to    *httputil.ReverseProxy
	shown map[string]bool // names of certificates, and keys of signing
}

func newFront(t testing.TB) *front {
	t.Helper()
	f := &front{shown: map[string]bool{}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.Handler = f
	f.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

// leadTo has the front lead to the platform at address.
func (f *front) leadTo(address string) {
	target, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Header.Del("Authorization") }}
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	if strings.HasPrefix(r.URL.Path, "/api/packages") {
		f.shown[r.Header.Get("Authorization")] = true
	} else if len(r.TLS.PeerCertificates) > 0 {
		f.shown[r.TLS.PeerCertificates[0].Subject.CommonName] = true
	}
	to := f.to
	f.mu.Unlock()
	to.ServeHTTP(w, r)
}

// forget returns what has been shown since it was called last.
func (f *front) forget() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.shown
	f.shown = map[string]bool{}
	return was
}

// files are the secrets of one node, in a folder of its own.
type files struct {
	t   testing.TB
	dir string
}

// put puts new files in the place of secrets.
func (f files) put(secrets map[string]string) {
	f.t.Helper()
	for name, text := range secrets {
		written := filepath.Join(f.dir, ".new")
		if err := os.WriteFile(written, []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
		if err := os.Rename(written, filepath.Join(f.dir, name)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// The keys before and after.
var oldKey, newKey = strings.Repeat("a73c", 16), strings.Repeat("b84d", 16)

// withFiles returns a single server whose nodes have all secrets from files, and each node's.
func withFiles(t testing.TB) (*store, []files) {
	t.Helper()
	s := withServer(t)
	s.front = newFront(t)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.front.Certificate().Raw})
	if err := s.server.Client().Do(t.Context(), "acl", "setuser", "node", "on", ">first", "~*", "&*", "+@all").Err(); err != nil {
		t.Fatal(err)
	}
	certificate, key := certificateOf(t, "before")
	all := make([]files, 2)
	for number := range all {
		all[number] = files{t, t.TempDir()}
		secrets := map[string]string{
			"SESSION_KEYS": oldKey, "ACCESS_KEYS": oldKey, "SIGNING_API_KEY": "before", "IDENTITY_CLIENT_CERT": certificate, "IDENTITY_CLIENT_KEY": key,
			"IDENTITY_CA": string(authority), "SIGNING_CA": string(authority), "REDIS_URL": s.urlOf(number, "first"),
		}
		all[number].put(secrets)
		s.own[number] = []string{"COUNTERSIGN_IDENTITY_URL=" + s.front.URL, "COUNTERSIGN_IDENTITY_AUTHORIZATION=", "COUNTERSIGN_UPSTREAM_TIMEOUT=20s", "COUNTERSIGN_SIGNING_URL=" + s.front.URL}
		for name := range secrets {
			s.own[number] = append(s.own[number], "COUNTERSIGN_"+name+"=", "COUNTERSIGN_"+name+"_FILE="+filepath.Join(all[number].dir, name))
		}
	}
	return s, all
}

// urlOf returns the address of Redis for a node, with a password.
func (s *store) urlOf(number int, password string) string {
	at := s.server.URL()
	if number == 0 {
		at = s.line.URL()
	}
	return strings.Replace(at, "://", "://node:"+password+"@", 1)
}

// certificateOf returns a certificate of this name and its key.
func certificateOf(t testing.TB, name string) (certificate, key string) {
	t.Helper()
	return certtest.Pair(t, x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)})
}

// rotate returns the drill that changes every secret of both nodes: one finds its files by
// itself, the other is told.
func rotate(all []files) drill {
	return drill{name: "every secret changes, on both nodes", short: true, calm: true, flawless: true, run: func(s *site) {
		certificate, key := certificateOf(s.t, "after")
		do(s, s.store.server, []any{"acl", "setuser", "node", ">second"})
		s.change(all, 1, func(number int) map[string]string {
			return map[string]string{
				"SESSION_KEYS": oldKey + "," + newKey, "ACCESS_KEYS": oldKey + "," + newKey, "SIGNING_API_KEY": "after",
				"IDENTITY_CLIENT_CERT": certificate, "IDENTITY_CLIENT_KEY": key, "REDIS_URL": s.store.urlOf(number, "second"),
			}
		})
		s.change(all, 2, func(int) map[string]string {
			return map[string]string{"SESSION_KEYS": newKey + "," + oldKey, "ACCESS_KEYS": newKey + "," + oldKey}
		})
		do(s, s.store.server, []any{"acl", "setuser", "node", "<first"})
		s.store.front.forget()
		shown := map[string]bool{}
		e2etest.Eventually(s.t, "the new certificate and key are shown", func() bool {
			maps.Copy(shown, s.store.front.forget())
			return shown["after"] && shown["Basic after"]
		})
		s.stayBroken()
		if maps.Copy(shown, s.store.front.forget()); len(shown) != 2 {
			s.t.Errorf("afterwards the platform is shown %v", shown)
		}
	}}
}

// change puts secrets into the files of both nodes, and waits until each was taken as often as
// time says.
func (s *site) change(all []files, time int, secrets func(number int) map[string]string) {
	s.t.Helper()
	for number, node := range s.nodes {
		all[number].put(secrets(number))
		if number == 1 {
			s.signal(node, syscall.SIGHUP)
		}
	}
	for number, node := range s.nodes {
		for name := range secrets(number) {
			e2etest.Eventually(s.t, name+" is taken", func() bool {
				return strings.Contains(node.Get(node.Admin+"/metrics"), `countersign_secret_reloads_total{name="COUNTERSIGN_`+name+`",result="accepted"} `+string(rune('0'+time)))
			})
		}
	}
}

// readsDocuments waits until the platform reads documents, which takes a while after its start.
func (s *site) readsDocuments() {
	s.t.Helper()
	p := s.crowd[0]
	p.comeAndGo()
	e2etest.Eventually(s.t, "the platform reads documents", func() bool {
		counts := &tally{}
		p.counts.Store(counts)
		p.upload()
		return counts.answered > 0 && counts.unavailable == 0
	})
}
