package e2etest

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Back signs in as soon as that is possible again.
func (c *Client) Back(user string) *Client {
	c.T.Helper()
	Eventually(c.T, user+" can sign in", func() bool {
		r := c.Send("POST", "/users/"+user+"/login", RightPassword)
		if r.Status == http.StatusOK {
			c.Carry(r)
		}
		return r.Status == http.StatusOK
	})
	return c
}

// WhenBack is what GET /session says once it can.
func (c *Client) WhenBack() (r Reply) {
	c.T.Helper()
	Eventually(c.T, "sessions can be read", func() bool {
		r = c.Send("GET", "/session", nil)
		return r.Status != http.StatusServiceUnavailable
	})
	return r
}

// Unavailable checks an answer given while something is away: it says so, says
// when to come back, and takes nothing away from anybody.
func (r Reply) Unavailable(what, key string, page bool) {
	r.T.Helper()
	if r.Status != http.StatusServiceUnavailable {
		r.T.Errorf("%s: status %d: %.200s", what, r.Status, r.Body)
		return
	}
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 10 {
		r.T.Errorf("%s: Retry-After %q", what, r.Header.Get("Retry-After"))
	}
	r.TakesNothing(what)
	media := r.Header.Get("Content-Type")
	if page && (!strings.HasPrefix(media, "text/html") || !Has(r.Body, "</html>")) {
		r.T.Errorf("%s: no page but %s: %.200s", what, media, r.Body)
	}
	if !page && (media != "application/problem+json" || r.Text("key") != key || r.Member("retryable") != true) {
		r.T.Errorf("%s: not %s but %s: %.200s", what, key, media, r.Body)
	}
}

// WithoutRedis checks an answer given while Redis is away: the session says so, or a
// limit, whichever was asked first.
func (r Reply) WithoutRedis(what string, page bool) {
	r.T.Helper()
	key := "session.unavailable"
	if !page && r.Status == http.StatusServiceUnavailable && r.Text("key") == "server.unavailable" {
		key = "server.unavailable"
	}
	r.Unavailable(what, key, page)
}

// TakesNothing checks that a browser keeps all that it has.
func (r Reply) TakesNothing(what string) {
	r.T.Helper()
	for _, name := range []string{"Set-Cookie", "Clear-Site-Data", "Location", "WWW-Authenticate"} {
		if value := r.Header.Get(name); value != "" {
			r.T.Errorf("%s: status %d with %s: %s", what, r.Status, name, value)
		}
	}
}

// Eventually waits until ok, for as long as a slow machine may need.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.After(10*time.Second), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not within ten seconds", what)
		case <-tick.C:
		}
	}
}

func Has(haystack []byte, needle string) bool { return strings.Contains(string(haystack), needle) }
