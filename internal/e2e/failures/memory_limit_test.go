package failures_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// Ending sessions needs no room, so that an attacker who has filled Redis is signed out all the
// same.
func TestRedisIsFull_SessionsEnd(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	app := e2etest.Boot(t, "REDIS_URL="+server.URL())
	full := func(limit string) {
		t.Helper()
		if err := server.Client().ConfigSet(t.Context(), "maxmemory", limit).Err(); err != nil {
			t.Fatal(err)
		}
	}
	mine, other := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("alice@sandbox")
	full("1")
	mine.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	full("0")
	other.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	browser := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	full("1")
	browser.Post("/account", "action", "end-others", "press", strings.Repeat("B", 26)).Want(http.StatusSeeOther)
	full("0")
	mine.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	full("1")
	browser.Post("/account", "action", "sign-out", "press", strings.Repeat("A", 26)).Want(http.StatusSeeOther)
	full("0")
}
