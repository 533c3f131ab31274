package accounts_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

func TestRegistration_Ceremony(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t),
		aPersonRegistersAPasskeyAndSignsInWithIt, twoTabsEachFinish, aCeremonyIsSpentOnce,
		nobodyFinishesAnothersCeremony, aWrongRequestIDIsRefusedAndSpends, brokenResponsesNeverReachThePlatform,
		aPushedTransactionIsConfirmedByItsPersonAlone, anActivationPasswordGoesToItsOwner,
		orchestrationCommandsAreHexAndPassAsTheyAre, anActivationPasswordIsForOnesOwnDomain,
	)
}

// The product's main job, with a cookie and with a token.
func aPersonRegistersAPasskeyAndSignsInWithIt(t *testing.T, app *e2etest.App) {
	for name, newClient := range map[string]func(testing.TB, *e2etest.App) *e2etest.Client{"browser": e2etest.Browser, "program": e2etest.Program} {
		t.Run(name, func(t *testing.T) {
			e2etest.Manage(t, app, "POST", "/reset", nil)
			key := e2etest.NewPasskey(app)
			c := newClient(t, app)
			c.Password("alice@sandbox")
			c.Register(key)
			c.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
			c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")

			c = newClient(t, app)
			c.Passkey("alice@sandbox", key)
			me := c.Send("GET", "/session", nil).Want(http.StatusOK)
			if methods, _ := json.Marshal(me.Member("methods")); string(methods) != `["fido2"]` {
				t.Errorf("methods %s", methods)
			}
			if user, _ := me.Member("user").(map[string]any); user["id"] != "alice@sandbox" || user["displayName"] == nil || user["operator"] != false {
				t.Errorf("user %v", user)
			}
		})
	}
}

func twoTabsEachFinish(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	first, second := c.RequestRegistration().Want(http.StatusOK), c.RequestRegistration().Want(http.StatusOK)
	one, two := e2etest.NewPasskey(app), e2etest.NewPasskey(app)
	c.FinishRegistration(c.Create(two, second)).Want(http.StatusOK)
	c.FinishRegistration(c.Create(one, first)).Want(http.StatusOK)
}

func aCeremonyIsSpentOnce(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	response := c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK))
	c.FinishRegistration(response).Want(http.StatusOK)
	e2etest.Untouched(t, app, func() {
		c.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.spent")
	}, "registerFidoDevice")
}

func nobodyFinishesAnothersCeremony(t *testing.T, app *e2etest.App) {
	alice, other, bob := e2etest.Browser(t, app), e2etest.Browser(t, app), e2etest.Browser(t, app)
	alice.Password("alice@sandbox")
	other.Password("alice@sandbox")
	bob.Password("bob@sandbox")
	response := alice.Create(e2etest.NewPasskey(app), alice.RequestRegistration().Want(http.StatusOK))
	e2etest.Untouched(t, app, func() {
		other.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.unknown")
		bob.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.unknown")
	}, "registerFidoDevice")
	alice.FinishRegistration(response).Want(http.StatusOK)
}

func aWrongRequestIDIsRefusedAndSpends(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	response := c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK))
	body := map[string]any{"fidoProtocol": "FIDO2", "registrationResponse": response, "requestID": "registration:00000000-0000-4000-8000-000000000000"}
	e2etest.Untouched(t, app, func() {
		c.Send("POST", "/users/me/register-fido-device", body).Refused(http.StatusConflict, "ceremony.mismatch")
		c.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.spent")
	}, "registerFidoDevice")
}

// Each of these is refused here, with its key, and does not reach the platform.
func brokenResponsesNeverReachThePlatform(t *testing.T, app *e2etest.App) {
	clientData := func(change func(*authenticator.ClientData)) authenticator.Tampering {
		return authenticator.Tampering{ClientData: change}
	}
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	for name, tc := range map[string]struct {
		with   authenticator.Tampering
		status int
		key    string
	}{
		"another origin":        {clientData(func(d *authenticator.ClientData) { d.Origin = "https://evil.example" }), 400, "ceremony.origin"},
		"another challenge":     {clientData(func(d *authenticator.ClientData) { d.Challenge = strings.Repeat("A", 43) }), 409, "ceremony.unknown"},
		"another relying party": {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "evil.example" }}, 400, "ceremony.rp"},
		"no JSON":               {authenticator.Tampering{JSON: func(text []byte) []byte { return text[:len(text)-2] }}, 400, "ceremony.malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			response := c.Create(e2etest.NewPasskey(app).With(tc.with), c.RequestRegistration().Want(http.StatusOK))
			e2etest.Untouched(t, app, func() { c.FinishRegistration(response).Refused(tc.status, tc.key) }, "registerFidoDevice")
		})
	}
}
