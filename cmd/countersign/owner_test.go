package main

import (
	"net/http"
	"strings"
	"testing"
)

const (
	pushedSignIn = `{"orchestrationDelivery":["pushNotification"]}`
	askPasskey   = `{"fidoProtocol":"FIDO2"}`
	askUAFKey    = `{"fidoProtocol":"UAF11"}`
)

func fails(t *testing.T, app *App, operation, message string) {
	t.Helper()
	manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "error": message})
}

// What a decoy stands for, nobody is told but the log, with the platform's own
// words.
func TestTheLogTellsWhyThereWasADecoy(t *testing.T) {
	var log lockedBuffer
	app := bootTo(t, &log)
	for _, ask := range []struct{ operation, path, body string }{
		{"login", "/login", pushedSignIn},
		{"generateFidoAuthenticationRequest", "/generate-fido-authentication-request", askPasskey},
		{"generateFidoAuthenticationRequest", "/generate-fido-authentication-request", askUAFKey},
	} {
		fails(t, app, ask.operation, "User is locked")
		before := len(log.String())
		r := program(t, app).send("POST", "/users/alice@sandbox"+ask.path, ask.body)
		if r.status >= http.StatusBadRequest {
			t.Errorf("%s %s: %d %s", ask.path, ask.body, r.status, r.body)
		}
		for _, want := range []string{"specific=account.locked", "User is locked", "correlation="} {
			if line := log.String()[before:]; !strings.Contains(line, want) {
				t.Errorf("%s %s: no %s in %s", ask.path, ask.body, want, line)
			}
		}
	}
}

// Whoever is signed in hears of their own account, and of nobody else's.
func TestAnOwnerIsSpared(t *testing.T) {
	app := boot(t)
	owner, other := program(t, app).signedIn("alice@sandbox"), program(t, app).signedIn("bob@sandbox")
	for message, key := range map[string]string{
		"User is locked": "account.locked", "User is disabled": "account.disabled", "User account not found": "account.unknown",
		"Authentication failed": "authentication.failed", "No authenticators available": "authentication.no-authenticator",
		"The authenticator limit has been reached": "orchestration.authenticator-limit",
	} {
		const path = "/users/alice@sandbox/generate-fido-authentication-request"
		for _, body := range []string{askPasskey, askUAFKey} {
			fails(t, app, "generateFidoAuthenticationRequest", message)
			owner.send("POST", path, body).refused(http.StatusConflict, key)
			fails(t, app, "generateFidoAuthenticationRequest", message)
			other.send("POST", path, body).want(http.StatusOK)
		}
		fails(t, app, "login", message)
		owner.send("POST", "/users/alice@sandbox/login", pushedSignIn).refused(http.StatusConflict, "sign-in.refused")
		fails(t, app, "login", message)
		other.send("POST", "/users/alice@sandbox/login", pushedSignIn).want(http.StatusAccepted)
	}
	// What the platform could not do says nothing against anybody.
	for message, key := range map[string]string{
		"Unable to send remote authentication.": "orchestration.authentication-unsent", "Gateway exited with error": "authentication.undelivered",
	} {
		fails(t, app, "login", message)
		owner.send("POST", "/users/alice@sandbox/login", pushedSignIn).refused(http.StatusBadGateway, key)
		fails(t, app, "login", message)
		other.send("POST", "/users/alice@sandbox/login", pushedSignIn).want(http.StatusAccepted)
	}
}

// Somebody who waits for their device learns nothing of the account from it, the
// log does; its owner, who signs in again, learns what the matter is.
func TestWhoWaitsForADevice(t *testing.T) {
	var log lockedBuffer
	app := bootTo(t, &log)
	for own, c := range map[bool]*client{true: program(t, app).signedIn("alice@sandbox"), false: program(t, app)} {
		r := c.send("POST", "/users/alice@sandbox/login", pushedSignIn).want(http.StatusAccepted)
		if !own {
			c.carry(r)
		}
		fails(t, app, "sessionStatus", "User is disabled")
		before := len(log.String())
		status := c.send("GET", "/sessions/"+r.text("requestID"), nil)
		if own {
			status.refused(http.StatusConflict, "account.disabled")
		} else if status.want(http.StatusOK); status.text("sessionStatus") != "pending" {
			t.Errorf("a stranger: %s", status.body)
		}
		if line := log.String()[before:]; !strings.Contains(line, "account.disabled") || !strings.Contains(line, "User is disabled") {
			t.Errorf("the owner %t: logged %s", own, line)
		}
	}
}

// An installation that hides nothing has no use for decoys.
func TestWhereNothingIsHiddenThereAreNoDecoys(t *testing.T) {
	app := boot(t, "REVEAL_ACCOUNT_STATE=true")
	for user, key := range map[string]string{"nobody@sandbox": "account.unknown", "dave@sandbox": "account.disabled", "erin@sandbox": "account.locked"} {
		for path, body := range map[string]string{"/login": pushedSignIn, "/generate-fido-authentication-request": askPasskey} {
			program(t, app).send("POST", "/users/"+user+path, body).refused(http.StatusConflict, key)
		}
	}
	program(t, app).send("POST", "/users/bob@sandbox/generate-fido-authentication-request", askUAFKey).
		refused(http.StatusConflict, "authentication.no-authenticator")
}

// An account that is not there is no authenticator that is not there, nor a
// transaction.
func TestAnAccountThatVanished(t *testing.T) {
	app := boot(t)
	c := program(t, app).signedIn("alice@sandbox")
	id := c.send("POST", "/users/me/transactions/validate", pushedTransaction).want(http.StatusAccepted).text("requestID")
	for operation, send := range map[string]func() reply{
		"renameFidoRegistration": func() reply { return c.send("PATCH", "/users/me/authenticators/one", `{"name":"phone"}`) },
		"deleteFidoRegistration": func() reply { return c.send("DELETE", "/users/me/authenticators/one?confirm=last", nil) },
		"sessionStatus":          func() reply { return c.send("GET", "/sessions/"+id, nil) },
	} {
		fails(t, app, operation, "User account not found")
		send().refused(http.StatusConflict, "account.unknown")
	}
	c.send("PATCH", "/users/me/authenticators/one", `{"name":"phone"}`).refused(http.StatusNotFound, "authenticator.unknown")
}

// The error command of the orchestration service is the SDK's, which needs it to
// end its flow, whoever uses it and whatever went wrong.
func TestAnErrorCommandIsTheSDKs(t *testing.T) {
	app := boot(t)
	for _, c := range []*client{program(t, app), program(t, app).signedIn("alice@sandbox")} {
		for _, message := range []string{"User is locked", "User account not found", "Static password has expired", "Unable to find registration code in Shared Cache"} {
			manage(t, app, "POST", "/faults", map[string]any{
				"operation": "orchestrationCommands", "times": 1, "status": 409,
				"body": map[string]any{"errorCategory": "user", "errorCode": 1001, "message": message, "command": "00FFa1"},
			})
			if r := c.send("POST", "/orchestration-commands", `{"command":"00"}`).want(http.StatusConflict); r.text("command") != "00FFa1" {
				t.Errorf("%q: key %s, command %q", message, r.text("key"), r.text("command"))
			}
		}
		manage(t, app, "POST", "/faults", map[string]any{
			"operation": "orchestrationCommands", "times": 1, "status": 503, "body": map[string]any{"errorCategory": "system", "message": "x", "command": "00ff"},
		})
		if r := c.send("POST", "/orchestration-commands", `{"command":"00"}`).want(http.StatusServiceUnavailable); r.text("command") != "00ff" {
			t.Errorf("away: command %q", r.text("command"))
		}
	}
}
