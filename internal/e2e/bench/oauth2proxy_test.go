package bench_test

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// oauth2Proxy is the variable with the path of oauth2-proxy's binary; without it the
// comparison is left out.
const oauth2Proxy = "OAUTH2_PROXY"

// others returns the other relays to compare with: oauth2-proxy, with as many sessions of
// the same people in the same Redis, in front of the same platform.
func (t *bench) others(b *testing.B, all []holder, path func(user string) string) []*side {
	b.Helper()
	binary := os.Getenv(oauth2Proxy)
	if binary == "" {
		return nil
	}
	address, metrics := freeAddress(b), freeAddress(b)
	cmd := exec.CommandContext(b.Context(), binary, append(t.oauth2Settings(b, address, all), "--metrics-address="+metrics)...)
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr // its log goes to a pipe, its errors are shown
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	theirs := make([]holder, len(all))
	for i, one := range all {
		theirs[i] = holder{user: one.user, cookie: oauth2SignIn(b, address, one.user)}
	}
	s := newSide("oauth2-proxy", cmd.Process.Pid, address, theirs, path)
	s.allocations = func(b *testing.B) float64 { b.Helper(); return number(b, "http://"+metrics+"/metrics", mallocs) }
	return []*side{s}
}

const oauth2Password = "bench"

// oauth2Settings returns the settings of a server for people who sign in with a password,
// which needs no provider, with sessions in Redis.
func (t *bench) oauth2Settings(b *testing.B, address string, all []holder) []string {
	b.Helper()
	sum := sha1.Sum([]byte(oauth2Password))
	var lines strings.Builder
	for _, one := range all {
		fmt.Fprintf(&lines, "%s:{SHA}%s\n", one.user, base64.StdEncoding.EncodeToString(sum[:]))
	}
	file := filepath.Join(b.TempDir(), "htpasswd")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return []string{
		"--http-address=" + address, "--upstream=" + t.platform.Sandbox, "--pass-host-header=false", "--pass-basic-auth=false",
		"--provider=github", "--client-id=bench", "--client-secret=bench", "--email-domain=*", "--htpasswd-file=" + file,
		"--cookie-secret=" + strings.Repeat("k", 32), "--cookie-secure=false", "--session-store-type=redis", "--redis-connection-url=" + t.redis.URL(),
	}
}

// oauth2SignIn returns the cookie of a new session of user; the first call waits for the
// server to listen.
func oauth2SignIn(b *testing.B, address, user string) string {
	b.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	form := url.Values{"username": {user}, "password": {oauth2Password}}.Encode()
	for begin := time.Now(); ; <-time.After(10 * time.Millisecond) {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://"+address+"/oauth2/sign_in", strings.NewReader(form))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := transport.RoundTrip(r)
		if err != nil && time.Since(begin) < 10*time.Second {
			continue
		} else if err != nil {
			b.Fatal(err)
		}
		response.Body.Close()
		for _, cookie := range response.Cookies() {
			if cookie.Value != "" {
				return cookie.Name + "=" + cookie.Value
			}
		}
		b.Fatalf("%s: %s, without a cookie", user, response.Status)
	}
}
