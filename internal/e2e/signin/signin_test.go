// Package signin_test signs in, in every way, and tries the sessions that begin so: in each spelling
// of a name, and bound to a key by a browser (Device Bound Session Credentials) or an app (RFC 9449).
package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

func TestSignIn(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), aTypedNameIsDropped, theLastAuthenticatorIsNotRemovedUnasked,
		signInsTellNothing, aPathSaysWhatAUserNameLacks,
		signingInRotatesTheToken, signingInCarriesACeremony, sessionsAreListedAndEnded,
	)
}

// A typed name is dropped once its owner has signed in, in any way, or out again.
func aTypedNameIsDropped(t *testing.T, app *e2etest.App) {
	for name, then := range map[string]func(*e2etest.Client){
		"signing in by a call": func(c *e2etest.Client) { c.Password("alice@sandbox") },
		"signing out":          func(c *e2etest.Client) { c.Send("DELETE", "/session", nil).Want(http.StatusNoContent) },
	} {
		c := e2etest.Browser(t, app)
		c.Post("/login", "step", "user", "user", "alice@sandbox").Want(http.StatusSeeOther)
		if second := c.Page("/login?step=password"); !e2etest.Has(second.Body, "alice@sandbox") {
			t.Fatalf("the second step is %s", second.Body)
		}
		then(c)
		if left := e2etest.CookieOf(c); strings.Contains(left, "alice") {
			t.Errorf("%s leaves %s", name, left)
		}
	}
}

func TestRateLimit_CountsFailures(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN=3/h", "RATE_CEREMONY=2/h", "RATE_CEREMONY_ADDRESS=2/h")
	c := e2etest.Program(t, app)
	for range 5 {
		e2etest.Program(t, app).Password("alice@sandbox")
	}
	for _, user := range []string{"alice@sandbox", "nobody@sandbox"} {
		for range 3 {
			e2etest.WrongPassword(c, user).Refused(http.StatusConflict, "sign-in.refused")
		}
		r := e2etest.WrongPassword(c, user).Refused(http.StatusTooManyRequests, "request.rate")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	c.Password("bob@sandbox")
	for range 2 {
		c.RequestRegistration().Want(http.StatusOK)
	}
	c.RequestRegistration().Refused(http.StatusTooManyRequests, "request.rate")
	for range 2 {
		e2etest.Program(t, app).RequestSignIn("nobody@sandbox")
	}
	e2etest.Program(t, app).Send("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`).
		Refused(http.StatusTooManyRequests, "request.rate")
}

func theLastAuthenticatorIsNotRemovedUnasked(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "POST", "/reset", nil)
	key := authenticator.NewFIDO2(authenticator.Options{
		Origin: app.URL(), UserVerifying: true, Discoverable: true, Platform: true, Attestation: authenticator.Packed,
		AAGUID: [16]byte{0xba, 0xda, 0x55, 0x66, 0xa7, 0xaa, 0x40, 0x1f, 0xbd, 0x96, 0x45, 0x61, 0x9a, 0x55, 0x12, 0x0d},
	})
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	c.Register(key)
	c = e2etest.Program(t, app)
	c.Passkey("alice@sandbox", key)
	listed := c.Authenticators()
	if len(listed) != 1 || listed[0]["protocol"] != "FIDO2" || listed[0]["provider"] != "1Password" || listed[0]["createdAt"] == nil || listed[0]["lastUsedAt"] == nil {
		t.Fatalf("listed %v", listed)
	}
	path := "/users/alice@sandbox/authenticators/" + listed[0]["id"].(string)
	c.Send("PATCH", path, `{"name":"Blue key"}`).Want(http.StatusNoContent)
	if name := c.Authenticators()[0]["name"]; name != "Blue key" {
		t.Errorf("name %v", name)
	}
	for _, name := range []string{" ", "\u202e", "a\u202eb", "a\nb", strings.Repeat("x", 65)} {
		c.Send("PATCH", path, map[string]any{"name": name}).Refused(http.StatusBadRequest, "request.invalid")
	}
	c.Send("PATCH", path, map[string]any{"name": "👩‍💻 Schlüssel"}).Want(http.StatusNoContent)
	c.Send("DELETE", path, nil).Refused(http.StatusConflict, "authenticator.last")
	c.Send("DELETE", path+"?confirm=last", nil).Want(http.StatusNoContent)
	c.Send("DELETE", path, nil).Refused(http.StatusNotFound, "authenticator.unknown")
}
