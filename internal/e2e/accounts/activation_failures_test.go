package accounts_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

func TestActivation_Failures(t *testing.T) {
	e2etest.Share(t, e2etest.Boot(t), activationPasswordsFail, commandsTellNothingOfAccounts, whatHappensMeanwhile)
}

// Each error of an activation password that arises naturally has its own sentence.
func activationPasswordsFail(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	old := c.AskFor("alice@sandbox").Want(http.StatusOK).Text("activationPassword")
	latest := c.AskFor("alice@sandbox").Want(http.StatusOK).Text("activationPassword")
	const renew = "new-activation-password"
	c.Activate("alice@sandbox", old, "ios").Refused(http.StatusConflict, "orchestration.activation-outdated").Action(renew)
	e2etest.Manage(t, app, "POST", "/clock", map[string]string{"advance": "121s"})
	c.Activate("alice@sandbox", old, "ios").Refused(http.StatusConflict, "orchestration.activation-password-wrong").Action(renew)
	c.Activate("alice@sandbox", "1234567897", "ios").Refused(http.StatusConflict, "orchestration.activation-password-wrong").Action(renew) // its check digit is right
	c.Activate("nobody@sandbox", latest, "ios").Refused(http.StatusConflict, "orchestration.activation-expired").Action(renew)
	c.Activate("alice@sandbox", latest, "windows").Refused(http.StatusConflict, "orchestration.authenticator-unsupported").Action("other-authenticator")
	e2etest.Manage(t, app, "POST", "/clock", map[string]string{"advance": "10m"})
	c.Activate("alice@sandbox", latest, "ios").Refused(http.StatusConflict, "orchestration.activation-expired").Action(renew)
	c.Send("POST", "/orchestration-commands", `{"command":"00ff"}`).Refused(http.StatusBadRequest, "orchestration.command-malformed").Action("restart")
}

// A client that is not signed in learns nothing about accounts from the orchestration
// SDK's messages, with any command: except for the SDK's own, all refusals are the same.
func commandsTellNothingOfAccounts(t *testing.T, app *e2etest.App) {
	e2etest.Program(t, app).SignedIn("alice@sandbox").AskFor("alice@sandbox").Want(http.StatusOK)
	answers := map[string]string{}
	for _, user := range []string{"alice@sandbox", "bob@sandbox", "dave@sandbox", "erin@sandbox", "frank@sandbox", "nobody@sandbox"} {
		for _, command := range []map[string]string{
			{"command": "activate", "activationPassword": "1234567897", "deviceType": "ios"},
			{"command": "decide", "serialNumber": "1", "requestID": "1", "decision": "accept"},
			{"command": "registerNotification", "serialNumber": "1", "notificationID": "1"},
		} {
			command["userID"] = user
			r := e2etest.Program(t, app).Command(command).Refused(http.StatusConflict, "activation.refused")
			body := strings.NewReplacer(r.Text("instance"), "", r.Text("command"), "").Replace(string(r.Body))
			answers[body+r.Header.Get("Retry-After")] = user + " " + command["command"]
		}
	}
	if len(answers) != 1 {
		t.Errorf("%q", answers)
	}
}

// A decision that comes too late, and an account whose state changes while its person is
// signed in.
func whatHappensMeanwhile(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app).SignedIn("bob@sandbox")
	password := c.AskFor("bob@sandbox").Want(http.StatusOK).Text("activationPassword")
	text, err := hex.DecodeString(c.Activate("bob@sandbox", password, "ios").Want(http.StatusOK).Text("command"))
	var device struct {
		SerialNumber string `json:"serialNumber"`
	}
	if err != nil || json.Unmarshal(text, &device) != nil {
		t.Fatalf("activated as %q (%v)", text, err)
	}
	push := func() string {
		return c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
	}
	decide := func(c *e2etest.Client, id string) e2etest.Reply {
		return c.Command(map[string]string{"command": "decide", "userID": "bob@sandbox", "serialNumber": device.SerialNumber, "requestID": id, "decision": "accept"})
	}
	late := push()
	e2etest.Manage(t, app, "POST", "/clock", map[string]string{"advance": "61s"})
	decide(c, late).Refused(http.StatusConflict, "orchestration.request-expired").Action("restart")
	pending := push()
	for status, key := range map[string]string{"locked": "account.locked", "disabled": "account.disabled"} {
		e2etest.Manage(t, app, "PUT", "/users/bob@sandbox", map[string]string{"status": status})
		decide(c, pending).Refused(http.StatusConflict, "orchestration.request-expired").Action("restart") // commands reveal nothing about accounts
		decide(e2etest.Program(t, app), pending).Refused(http.StatusConflict, "activation.refused")
		c.AskFor("bob@sandbox").Refused(http.StatusConflict, key)
		c.RequestRegistration().Refused(http.StatusConflict, key)
		c.Send("POST", "/users/me/generate-fido-authentication-request", e2etest.AskPasskey).Refused(http.StatusConflict, key)
		c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Refused(http.StatusConflict, key)
	}
	e2etest.Manage(t, app, "PUT", "/users/bob@sandbox", map[string]string{"status": "passwordExpired"})
	const body = `{"userID":"bob@sandbox","staticPassword":"Sandbox-1!"}`
	c.Send("POST", "/users/register", body).Refused(http.StatusConflict, "account.password-expired").Action("change-password")
	e2etest.Program(t, app).Send("POST", "/users/register", body).Refused(http.StatusConflict, "sign-in.refused")
}
