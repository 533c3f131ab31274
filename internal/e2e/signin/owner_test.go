package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// The reason for a decoy is only in the log, with the platform's own words.
func TestLog_ReasonOfDecoy(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	for _, ask := range []struct{ operation, path, body string }{
		{"login", "/login", e2etest.PushedSignIn},
		{"generateFidoAuthenticationRequest", "/generate-fido-authentication-request", e2etest.AskPasskey},
		{"generateFidoAuthenticationRequest", "/generate-fido-authentication-request", e2etest.AskUAFKey},
	} {
		e2etest.Fails(t, app, ask.operation, "User is locked")
		before := len(log.String())
		r := e2etest.Program(t, app).Send("POST", "/users/alice@sandbox"+ask.path, ask.body)
		if r.Status >= http.StatusBadRequest {
			t.Errorf("%s %s: %d %s", ask.path, ask.body, r.Status, r.Body)
		}
		for _, want := range []string{"specific=account.locked", "User is locked", "correlation="} {
			if line := log.String()[before:]; !strings.Contains(line, want) {
				t.Errorf("%s %s: no %s in %s", ask.path, ask.body, want, line)
			}
		}
	}
}

// An installation that hides nothing makes no decoys.
func TestDecoy_NoneWhenNothingHidden(t *testing.T) {
	app := e2etest.Boot(t, "REVEAL_ACCOUNT_STATE=true")
	for user, key := range map[string]string{"nobody@sandbox": "account.unknown", "dave@sandbox": "account.disabled", "erin@sandbox": "account.locked"} {
		for path, body := range map[string]string{"/login": e2etest.PushedSignIn, "/generate-fido-authentication-request": e2etest.AskPasskey} {
			e2etest.Program(t, app).Send("POST", "/users/"+user+path, body).Refused(http.StatusConflict, key)
		}
	}
	e2etest.Program(t, app).Send("POST", "/users/bob@sandbox/generate-fido-authentication-request", e2etest.AskUAFKey).
		Refused(http.StatusConflict, "authentication.no-authenticator")
}
