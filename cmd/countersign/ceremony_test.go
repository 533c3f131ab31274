package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator"
)

// The product's main job, with a cookie and with a token.
func TestAPersonRegistersAPasskeyAndSignsInWithIt(t *testing.T) {
	app := boot(t)
	for name, newClient := range map[string]func(testing.TB, *App) *client{"browser": browser, "program": program} {
		t.Run(name, func(t *testing.T) {
			manage(t, app, "POST", "/reset", nil)
			key := newPasskey(app)
			c := newClient(t, app)
			c.password("alice@sandbox")
			c.register(key)
			c.send("DELETE", "/session", nil).want(http.StatusNoContent)
			c.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")

			c = newClient(t, app)
			c.passkey("alice@sandbox", key)
			me := c.send("GET", "/session", nil).want(http.StatusOK)
			if methods, _ := json.Marshal(me.member("methods")); string(methods) != `["fido2"]` {
				t.Errorf("methods %s", methods)
			}
			if user, _ := me.member("user").(map[string]any); user["id"] != "alice@sandbox" || user["displayName"] == nil || user["operator"] != false {
				t.Errorf("user %v", user)
			}
		})
	}
}

func TestEveryAlgorithmAndAttestationGoesThrough(t *testing.T) {
	app := boot(t)
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		for _, attestation := range []authenticator.Attestation{authenticator.None, authenticator.Packed} {
			t.Run(string(algorithm)+" "+string(attestation), func(t *testing.T) {
				key := authenticator.NewFIDO2(authenticator.Options{
					Algorithm: algorithm, Attestation: attestation, Origin: app.URL(), UserVerifying: true, Discoverable: true,
				})
				c := program(t, app)
				c.password("bob@sandbox")
				request := c.send("POST", "/users/bob@sandbox/generate-fido-registration-request", map[string]any{
					"fidoProtocol": "FIDO2", "attestation": "direct", "displayName": "Bob at work",
					"authenticatorSelection": map[string]any{"userVerification": "required", "requireResidentKey": true},
				}).want(http.StatusOK)
				if !strings.Contains(request.text("registrationRequest"), "Bob at work") {
					t.Errorf("the display name is not in %s", request.text("registrationRequest"))
				}
				c.finishRegistration(c.create(key, request)).want(http.StatusOK)
				program(t, app).passkey("bob@sandbox", key)
			})
		}
	}
}

func TestTwoTabsEachFinish(t *testing.T) {
	app := boot(t)
	c := browser(t, app)
	c.password("alice@sandbox")
	first, second := c.requestRegistration().want(http.StatusOK), c.requestRegistration().want(http.StatusOK)
	one, two := newPasskey(app), newPasskey(app)
	c.finishRegistration(c.create(two, second)).want(http.StatusOK)
	c.finishRegistration(c.create(one, first)).want(http.StatusOK)
}

func TestACeremonyIsSpentOnce(t *testing.T) {
	app := boot(t)
	c := browser(t, app)
	c.password("alice@sandbox")
	response := c.create(newPasskey(app), c.requestRegistration().want(http.StatusOK))
	c.finishRegistration(response).want(http.StatusOK)
	untouched(t, app, func() {
		c.finishRegistration(response).refused(http.StatusConflict, "ceremony.spent")
	}, "registerFidoDevice")
}

func TestNobodyFinishesAnothersCeremony(t *testing.T) {
	app := boot(t)
	alice, other, bob := browser(t, app), browser(t, app), browser(t, app)
	alice.password("alice@sandbox")
	other.password("alice@sandbox")
	bob.password("bob@sandbox")
	response := alice.create(newPasskey(app), alice.requestRegistration().want(http.StatusOK))
	untouched(t, app, func() {
		other.finishRegistration(response).refused(http.StatusConflict, "ceremony.unknown")
		bob.finishRegistration(response).refused(http.StatusConflict, "ceremony.unknown")
	}, "registerFidoDevice")
	alice.finishRegistration(response).want(http.StatusOK)
}

func TestAWrongRequestIDIsRefusedAndSpends(t *testing.T) {
	app := boot(t)
	c := browser(t, app)
	c.password("alice@sandbox")
	response := c.create(newPasskey(app), c.requestRegistration().want(http.StatusOK))
	body := map[string]any{"fidoProtocol": "FIDO2", "registrationResponse": response, "requestID": "registration:00000000-0000-4000-8000-000000000000"}
	untouched(t, app, func() {
		c.send("POST", "/users/me/register-fido-device", body).refused(http.StatusConflict, "ceremony.mismatch")
		c.finishRegistration(response).refused(http.StatusConflict, "ceremony.spent")
	}, "registerFidoDevice")
}

// Each of these is refused here, with its key, and the platform never hears of
// it.
func TestBrokenResponsesNeverReachThePlatform(t *testing.T) {
	app := boot(t)
	cases := []struct {
		name   string
		status int
		key    string
		break_ func(*authenticator.FIDO2) *authenticator.FIDO2
		text   func(string) string
	}{
		{name: "another origin", status: 400, key: "ceremony.origin", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Origin = "https://evil.example" }})
		}},
		{name: "another case of the origin", status: 400, key: "ceremony.origin", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Origin = strings.ToUpper(c.Origin) }})
		}},
		{name: "in a frame", status: 400, key: "ceremony.origin", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.CrossOrigin = true }})
		}},
		{name: "another type", status: 400, key: "ceremony.type", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Type = authenticator.TypeGet }})
		}},
		{name: "another challenge", status: 409, key: "ceremony.unknown", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Challenge = strings.Repeat("A", 43) }})
		}},
		{name: "no challenge", status: 400, key: "ceremony.malformed", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Challenge = "" }})
		}},
		{name: "another relying party", status: 400, key: "ceremony.rp", break_: func(a *authenticator.FIDO2) *authenticator.FIDO2 {
			return a.With(authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "evil.example" }})
		}},
		{name: "no JSON", status: 400, key: "ceremony.malformed", text: func(s string) string { return s[:len(s)-2] }},
		{name: "something behind it", status: 400, key: "ceremony.malformed", text: func(s string) string { return s + "{}" }},
		{name: "nothing", status: 400, key: "ceremony.malformed", text: func(string) string { return "" }},
	}
	c := browser(t, app)
	c.password("alice@sandbox")
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			key := newPasskey(app)
			if tc.break_ != nil {
				key = tc.break_(key)
			}
			response := c.create(key, c.requestRegistration().want(http.StatusOK))
			if tc.text != nil {
				response = tc.text(response)
			}
			untouched(t, app, func() {
				c.finishRegistration(response).refused(tc.status, tc.key)
			}, "registerFidoDevice")
		})
	}
}
