package failures_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/e2e/e2etest"
)

// The not-found page works while Redis is away, and does not mention Redis.
func TestNotFound_DuringOutage(t *testing.T) {
	redis := miniredis.RunT(t)
	c := e2etest.Browser(t, e2etest.BootPatiently(t, "REDIS_URL=redis://"+redis.Addr())).SignedIn("alice@sandbox")
	if shown := c.Page("/nothing/here").Want(http.StatusNotFound); !e2etest.Has(shown.Body, `sign-out`) {
		t.Fatalf("before the outage: %s", shown.Body)
	}
	redis.Close()
	shown := c.Page("/nothing/here").Want(http.StatusNotFound)
	if !e2etest.Has(shown.Body, "Not found") || len(shown.Header.Values("Set-Cookie")) > 0 {
		t.Errorf("during it: %v %s", shown.Header, shown.Body)
	}
}

// A person who opens the service under another host name is led to the same page at its
// own; a program gets an error.
func thePersonAtAWrongAddressIsLedToTheRightOne(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	for path, leads := range map[string]string{"/": "/", "/account?a=1": "/account?a=1", "/nothing": "/nothing", "//evil.example/": "//evil.example/", "/session": "/session"} {
		page := c.Send("GET", path, nil, "Host", "127.0.0.1:1", "Accept", "text/html,*/*").Want(http.StatusMisdirectedRequest)
		if !e2etest.Has(page.Body, `<a href="`+c.App.URL()+leads+`">Go on at `+c.App.URL()+`</a>`) {
			t.Errorf("%s: %s", path, page.Body)
		}
		if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'; style-src 'nonce-") {
			t.Errorf("%s: %s", path, policy)
		}
		c.Send("GET", path, nil, "Host", "127.0.0.1:1", "Accept", "application/json").Refused(http.StatusMisdirectedRequest, "request.host")
	}
	c.Send("POST", "/login", nil, "Host", "127.0.0.1:1", "Accept", "text/html").Refused(http.StatusMisdirectedRequest, "request.host")
	for _, path := range []string{"/users/alice@sandbox/authenticators", "/api/packages"} { // with the members of the platform's errors
		c.Send("GET", path, nil, "Host", "127.0.0.1:1", "Accept", "application/json").Refused(http.StatusMisdirectedRequest, "request.host")
	}
}
