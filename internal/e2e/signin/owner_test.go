package signin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// The reason for a decoy is only in the log, with the platform's own words.
func TestTheLogTellsWhyThereWasADecoy(t *testing.T) {
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

// A signed-in person learns about their own account, and about nobody else's.
func anOwnerIsSpared(t *testing.T, app *e2etest.App) {
	owner, other := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	for message, key := range map[string]string{
		"User is locked": "account.locked", "User is disabled": "account.disabled", "User account not found": "account.unknown",
		"Authentication failed": "authentication.failed", "No authenticators available": "authentication.no-authenticator",
		"The authenticator limit has been reached": "orchestration.authenticator-limit",
	} {
		const path = "/users/alice@sandbox/generate-fido-authentication-request"
		for _, body := range []string{e2etest.AskPasskey, e2etest.AskUAFKey} {
			e2etest.Fails(t, app, "generateFidoAuthenticationRequest", message)
			owner.Send("POST", path, body).Refused(http.StatusConflict, key)
			e2etest.Fails(t, app, "generateFidoAuthenticationRequest", message)
			other.Send("POST", path, body).Want(http.StatusOK)
		}
		e2etest.Fails(t, app, "login", message)
		owner.Send("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn).Refused(http.StatusConflict, "sign-in.refused")
		e2etest.Fails(t, app, "login", message)
		other.Elsewhere().Send("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn).Want(http.StatusAccepted)
	}
	// A failure of the platform says nothing against anybody.
	for message, key := range map[string]string{
		"Unable to send remote authentication.": "orchestration.authentication-unsent", "Gateway exited with error": "authentication.undelivered",
	} {
		e2etest.Fails(t, app, "login", message)
		owner.Send("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn).Refused(http.StatusBadGateway, key)
		e2etest.Fails(t, app, "login", message)
		other.Elsewhere().Send("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn).Want(http.StatusAccepted)
	}
}

// A person who waits for their device learns nothing about the account from it, but the
// log has it; its owner, who signs in again, learns the reason.
func TestWhoWaitsForADevice(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	for own, c := range map[bool]*e2etest.Client{true: e2etest.Program(t, app).SignedIn("alice@sandbox"), false: e2etest.Program(t, app)} {
		r := c.Elsewhere().Send("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn).Want(http.StatusAccepted)
		if !own {
			c.Carry(r)
		}
		e2etest.Fails(t, app, "sessionStatus", "User is disabled")
		before := len(log.String())
		status := c.Send("GET", "/sessions/"+r.Text("requestID"), nil)
		if own {
			status.Refused(http.StatusConflict, "account.disabled")
		} else if status.Want(http.StatusOK); status.Text("sessionStatus") != "pending" {
			t.Errorf("an outsider: %s", status.Body)
		}
		if line := log.String()[before:]; !strings.Contains(line, "account.disabled") || !strings.Contains(line, "User is disabled") {
			t.Errorf("the owner %t: logged %s", own, line)
		}
	}
}

// An installation that hides nothing makes no decoys.
func TestWhereNothingIsHiddenThereAreNoDecoys(t *testing.T) {
	app := e2etest.Boot(t, "REVEAL_ACCOUNT_STATE=true")
	for user, key := range map[string]string{"nobody@sandbox": "account.unknown", "dave@sandbox": "account.disabled", "erin@sandbox": "account.locked"} {
		for path, body := range map[string]string{"/login": e2etest.PushedSignIn, "/generate-fido-authentication-request": e2etest.AskPasskey} {
			e2etest.Program(t, app).Send("POST", "/users/"+user+path, body).Refused(http.StatusConflict, key)
		}
	}
	e2etest.Program(t, app).Send("POST", "/users/bob@sandbox/generate-fido-authentication-request", e2etest.AskUAFKey).
		Refused(http.StatusConflict, "authentication.no-authenticator")
}

// A vanished account is not reported as a missing authenticator or transaction.
func anAccountThatVanished(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
	c.Register(e2etest.NewPasskey(app))
	one := "/users/me/authenticators/" + fmt.Sprint(c.Authenticators()[0]["id"])
	for operation, send := range map[string]func() e2etest.Reply{
		"renameFidoRegistration": func() e2etest.Reply { return c.Send("PATCH", one, `{"name":"phone"}`) },
		"deleteFidoRegistration": func() e2etest.Reply { return c.Send("DELETE", one+"?confirm=last", nil) },
		"sessionStatus":          func() e2etest.Reply { return c.Send("GET", "/sessions/"+id, nil) },
	} {
		e2etest.Fails(t, app, operation, "User account not found")
		send().Refused(http.StatusConflict, "account.unknown")
	}
	c.Send("PATCH", "/users/me/authenticators/one", `{"name":"phone"}`).Refused(http.StatusNotFound, "authenticator.unknown")
}

// The error command of the orchestration service always reaches the SDK, which needs it
// to end its flow.
func anErrorCommandIsTheSDKs(t *testing.T, app *e2etest.App) {
	for _, c := range []*e2etest.Client{e2etest.Program(t, app), e2etest.Program(t, app).SignedIn("alice@sandbox")} {
		for _, message := range []string{"User is locked", "User account not found", "Static password has expired", "Unable to find registration code in Shared Cache"} {
			e2etest.Manage(t, app, "POST", "/faults", map[string]any{
				"operation": "orchestrationCommands", "times": 1, "status": 409,
				"body": map[string]any{"errorCategory": "user", "errorCode": 1001, "message": message, "command": "00FFa1"},
			})
			if r := c.Send("POST", "/orchestration-commands", `{"command":"00"}`).Want(http.StatusConflict); r.Text("command") != "00FFa1" {
				t.Errorf("%q: key %s, command %q", message, r.Text("key"), r.Text("command"))
			}
		}
		e2etest.Manage(t, app, "POST", "/faults", map[string]any{
			"operation": "orchestrationCommands", "times": 1, "status": 503, "body": map[string]any{"errorCategory": "system", "message": "x", "command": "00ff"},
		})
		if r := c.Send("POST", "/orchestration-commands", `{"command":"00"}`).Want(http.StatusServiceUnavailable); r.Text("command") != "00ff" {
			t.Errorf("away: command %q", r.Text("command"))
		}
	}
}
