package signin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// Whatever is wrong with an account, a refused sign-in looks the same.
func TestRefusalsLookAlike(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Program(t, app)
	seen := map[string][]string{}
	look := func(what string, r e2etest.Reply) {
		r.Refused(http.StatusConflict, "sign-in.refused")
		body := strings.ReplaceAll(string(r.Body), r.Text("instance"), "")
		headers := slices.Sorted(maps.Keys(r.Header))
		seen[fmt.Sprint(body, headers)] = append(seen[fmt.Sprint(body, headers)], what)
	}
	look("wrong password", e2etest.WrongPassword(c, "alice@sandbox"))
	for _, user := range []string{"dave", "erin", "nobody"} {
		look(user, e2etest.WrongPassword(c, user+"@sandbox"))
	}
	look("frank", e2etest.WrongPassword(c, "frank@sandbox"))
	for _, user := range []string{"dave", "erin"} {
		look(user+", right password", c.Send("POST", "/users/"+user+"@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`))
	}
	look("one-time password", c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"authenticator":{"OTP":"123456"}}}`))
	if len(seen) != 1 {
		t.Errorf("refusals differ: %v", seen)
	}
}

// An account that cannot sign in with a passkey answers like one that can, each time with
// the same credential, and finishing ends like a wrong password.
func TestDecoysLookReal(t *testing.T) {
	app := e2etest.Boot(t)
	key := e2etest.NewPasskey(app)
	alice := e2etest.Program(t, app)
	alice.Password("alice@sandbox")
	alice.Register(key)
	shape := func(user string) (string, map[string]any) {
		r := e2etest.Program(t, app).RequestSignIn(user)
		var options map[string]any
		if err := json.Unmarshal([]byte(r.Text("authenticationRequest")), &options); err != nil {
			t.Fatal(err)
		}
		credential := options["allowCredentials"].([]any)[0].(map[string]any)
		return fmt.Sprint(slices.Sorted(maps.Keys(options)), slices.Sorted(maps.Keys(credential)), options["timeout"], options["userVerification"],
			options["rpId"], len(options["challenge"].(string)), len(r.Text("requestID")), slices.Sorted(maps.Keys(r.Header))), credential
	}
	real, _ := shape("alice@sandbox")
	for _, user := range []string{"bob", "dave", "erin", "nobody"} {
		decoy, first := shape(user + "@sandbox")
		if decoy != real {
			t.Errorf("%s: %s\nreal: %s", user, decoy, real)
		}
		if _, second := shape(user + "@sandbox"); first["id"] != second["id"] {
			t.Errorf("%s: another credential each time", user)
		}
	}
	c := e2etest.Program(t, app)
	options := c.RequestSignIn("nobody@sandbox").Text("authenticationRequest")
	stranger := authenticator.NewFIDO2(authenticator.Options{Origin: app.URL(), UserVerifying: true, Discoverable: true})
	if _, err := stranger.Create(e2etest.Program(t, app).SignedIn("bob@sandbox").RequestRegistration().Text("registrationRequest")); err != nil {
		t.Fatal(err)
	}
	// Without named credentials, a stranger's authenticator answers with its own.
	var open map[string]any
	if err := json.Unmarshal([]byte(options), &open); err != nil {
		t.Fatal(err)
	}
	delete(open, "allowCredentials")
	anyone, err := json.Marshal(open)
	if err != nil {
		t.Fatal(err)
	}
	response, err := stranger.Get(string(anyone))
	if err != nil {
		t.Fatal(err)
	}
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	c.FinishSignIn("nobody@sandbox", response).Refused(http.StatusConflict, "sign-in.refused")
	if got := e2etest.Journal(t, app); !slices.Equal(got, []string{"login"}) {
		t.Errorf("the platform was asked for %v", got)
	}
}

// The platform's words about an account stay in the log.
func TestARefusedSignInHasNoStatusOfThePlatform(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 409, "body": map[string]any{"message": "User is disabled", "uafStatusCode": 1403}})
	r := e2etest.WrongPassword(e2etest.Program(t, app), "alice@sandbox").Refused(http.StatusConflict, "sign-in.refused")
	if r.Member("uafStatusCode") != nil {
		t.Errorf("it was told: %s", r.Body)
	}
}

// A typed name is dropped once its owner has signed in, in any way, or out again.
func TestATypedNameIsDropped(t *testing.T) {
	app := e2etest.Boot(t)
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

func TestLimitsCountFailures(t *testing.T) {
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

func TestTheLastAuthenticatorIsNotRemovedUnasked(t *testing.T) {
	app := e2etest.Boot(t)
	key := authenticator.NewFIDO2(authenticator.Options{
		Origin: app.URL(), UserVerifying: true, Discoverable: true, Attestation: authenticator.Packed,
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
