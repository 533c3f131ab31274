package e2etest

import (
	"net/http"
	"strconv"
	"strings"
)

// Unavailable checks the answer to a request whose dependency is away: a 503 of this key,
// or a page, with Retry-After, that takes nothing from the client. what names the request
// in messages.
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

// WithoutRedis checks an answer while Redis is away: the key is session.unavailable or
// server.unavailable, depending on whether sessions or limits are needed first.
func (r Reply) WithoutRedis(what string, page bool) {
	r.T.Helper()
	key := "session.unavailable"
	if !page && r.Status == http.StatusServiceUnavailable && r.Text("key") == "server.unavailable" {
		key = "server.unavailable"
	}
	r.Unavailable(what, key, page)
}

// TakesNothing checks that the answer leaves the client's cookies and storage alone, and
// does not redirect it.
func (r Reply) TakesNothing(what string) {
	r.T.Helper()
	for _, name := range []string{"Set-Cookie", "Clear-Site-Data", "Location", "WWW-Authenticate"} {
		if value := r.Header.Get(name); value != "" {
			r.T.Errorf("%s: status %d with %s: %s", what, r.Status, name, value)
		}
	}
}

// LimitsOn are settings with limits that are counted but never reached.
var LimitsOn = []string{"RATE_SIGN_IN=10000/m", "RATE_SIGN_IN_ADDRESS=100000/m", "RATE_PUSH=10000/m", "RATE_CEREMONY=100000/m", "RATE_CEREMONY_ADDRESS=100000/m", "RATE_LOOKUP=100000/m", "RATE_VERIFICATION=100000/h"}
