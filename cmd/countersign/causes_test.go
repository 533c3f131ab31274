package main

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"testing"
)

// releases are how each of part 7.2's says what it has against something, and the
// errors that 22.R3 has a number for.
var releases = map[string]struct{ tooLate, wrong, expired string }{
	"22.R4": {"orchestration.request-expired", "orchestration.activation-password-wrong", "orchestration.activation-expired"},
	"22.R3": {"orchestration.transaction-error", "orchestration.unknown-error", "orchestration.unknown-error"},
}

// bootRelease is a program, and a platform of that release.
func bootRelease(t *testing.T, release string) *App {
	t.Helper()
	app := boot(t, "PLATFORM_RELEASE="+release)
	for _, operation := range []string{"registerUser", "orchestrationCommands", "login", "validateTransaction", "sessionStatus"} {
		manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "times": 0, "release": release})
	}
	return app
}

// askFor asks for an activation password of user.
func (c *client) askFor(user string) reply {
	return c.send("POST", "/users/register", map[string]string{"userID": user})
}

// activate has an app's device activated; device is its type.
func (c *client) activate(user, password, device string) reply {
	return c.command(map[string]string{"command": "activate", "userID": user, "activationPassword": password, "deviceType": device})
}

func (c *client) command(said map[string]string) reply {
	c.t.Helper()
	text, err := json.Marshal(said)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.send("POST", "/orchestration-commands", map[string]string{"command": hex.EncodeToString(text)})
}

func (r reply) action(want string) reply {
	r.t.Helper()
	if got := r.text("action"); got != want {
		r.t.Errorf("%s: action %q, want %q", r.what, got, want)
	}
	return r
}

// What is wrong with an activation password, as it comes about: each has its own
// sentence or, up to 22.R3, one that is true for all of it.
func TestActivationPasswordsFail(t *testing.T) {
	for release, is := range releases {
		app := bootRelease(t, release)
		c := program(t, app).signedIn("alice@sandbox")
		old := c.askFor("alice@sandbox").want(http.StatusOK).text("activationPassword")
		latest := c.askFor("alice@sandbox").want(http.StatusOK).text("activationPassword")
		const renew = "new-activation-password"
		c.activate("alice@sandbox", old, "ios").refused(http.StatusConflict, "orchestration.activation-outdated").action(renew)
		manage(t, app, "POST", "/clock", map[string]string{"advance": "121s"})
		c.activate("alice@sandbox", old, "ios").refused(http.StatusConflict, is.wrong).action(renew)
		c.activate("alice@sandbox", "1234567897", "ios").refused(http.StatusConflict, is.wrong).action(renew) // its check digit is right
		c.activate("nobody@sandbox", latest, "ios").refused(http.StatusConflict, is.expired).action(renew)
		c.activate("alice@sandbox", latest, "windows").refused(http.StatusConflict, "orchestration.authenticator-unsupported").action("other-authenticator")
		manage(t, app, "POST", "/clock", map[string]string{"advance": "10m"})
		c.activate("alice@sandbox", latest, "ios").refused(http.StatusConflict, is.expired).action(renew)
		c.send("POST", "/orchestration-commands", `{"command":"00ff"}`).refused(http.StatusBadRequest, "orchestration.command-malformed").action("restart")
	}
}

func TestTooManyActivations(t *testing.T) {
	for release := range releases {
		c := program(t, bootRelease(t, release)).signedIn("alice@sandbox")
		met := map[string]int{}
		for range 12 {
			r := c.askFor("alice@sandbox")
			if r.status == http.StatusOK {
				r = c.activate("alice@sandbox", r.text("activationPassword"), "android")
			}
			if r.status != http.StatusOK {
				r.want(http.StatusConflict).action("contact")
				met[r.text("key")]++
			}
		}
		for _, key := range []string{"orchestration.authenticator-limit", "orchestration.activation-attempts", "orchestration.no-authenticators"} {
			if met[key] == 0 {
				t.Errorf("%s: met %v, not %s", release, met, key)
			}
		}
		if len(met) != 3 {
			t.Errorf("%s: met %v", release, met)
		}
	}
}

// A decision that comes too late, and an account whose state changes while its
// person is signed in.
func TestWhatHappensMeanwhile(t *testing.T) {
	for release, is := range releases {
		app := bootRelease(t, release)
		c := program(t, app).signedIn("bob@sandbox")
		password := c.askFor("bob@sandbox").want(http.StatusOK).text("activationPassword")
		text, err := hex.DecodeString(c.activate("bob@sandbox", password, "ios").want(http.StatusOK).text("command"))
		var device struct {
			SerialNumber string `json:"serialNumber"`
		}
		if err != nil || json.Unmarshal(text, &device) != nil {
			t.Fatalf("activated as %q (%v)", text, err)
		}
		push := func() string {
			return c.send("POST", "/users/me/transactions/validate", pushedTransaction).want(http.StatusAccepted).text("requestID")
		}
		decide := func(c *client, id string) reply {
			return c.command(map[string]string{"command": "decide", "userID": "bob@sandbox", "serialNumber": device.SerialNumber, "requestID": id, "decision": "accept"})
		}
		late := push()
		manage(t, app, "POST", "/clock", map[string]string{"advance": "61s"})
		decide(c, late).refused(http.StatusConflict, is.tooLate).action("restart")
		pending := push()
		for status, key := range map[string]string{"locked": "account.locked", "disabled": "account.disabled"} {
			manage(t, app, "PUT", "/users/bob@sandbox", map[string]string{"status": status})
			decide(c, pending).refused(http.StatusConflict, is.tooLate).action("restart") // Commands tell nothing of accounts.
			decide(program(t, app), pending).refused(http.StatusConflict, "activation.refused")
			c.askFor("bob@sandbox").refused(http.StatusConflict, key)
			c.requestRegistration().refused(http.StatusConflict, key)
			c.send("POST", "/users/me/generate-fido-authentication-request", askPasskey).refused(http.StatusConflict, key)
			c.send("POST", "/users/me/transactions/validate", pushedTransaction).refused(http.StatusConflict, key)
		}
		manage(t, app, "PUT", "/users/bob@sandbox", map[string]string{"status": "passwordExpired"})
		const body = `{"userID":"bob@sandbox","staticPassword":"Sandbox-1!"}`
		c.send("POST", "/users/register", body).refused(http.StatusConflict, "account.password-expired").action("change-password")
		program(t, app).send("POST", "/users/register", body).refused(http.StatusConflict, "sign-in.refused")
	}
}
