package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/config"
	"countersign/internal/uaf"
)

// phone is a UAF authenticator of the model that the sandbox knows, in an app
// that appears as Countersign's own origin.
func phone(t testing.TB, app *App, options ...func(*softuaf.Options)) *softuaf.Authenticator {
	t.Helper()
	o := softuaf.Options{
		AAID: softuaf.DemoAAID, Version: softuaf.DemoVersion, Algorithm: uaf.AlgorithmP256DER, FacetID: app.URL(),
	}
	for _, set := range options {
		set(&o)
	}
	a, err := softuaf.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tampered is the phone, breaking one thing from now on.
func tampered(a *softuaf.Authenticator, with softuaf.Tamper) *softuaf.Authenticator {
	a.Options.Tamper = with
	return a
}

// enrol asks for a registration request and has the authenticator answer it.
func (c *client) enrol(a *softuaf.Authenticator) string {
	c.t.Helper()
	r := c.send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).want(http.StatusOK)
	response, err := a.Register(r.text("registrationRequest"))
	if err != nil {
		c.t.Fatal(err)
	}
	return response
}

// finishUAF sends what the authenticator made.
func (c *client) finishUAF(response string) reply {
	c.t.Helper()
	return c.send("POST", "/users/me/register-fido-device", map[string]any{"fidoProtocol": "UAF11", "registrationResponse": response})
}

// registerUAF carries a registration through.
func (c *client) registerUAF(a *softuaf.Authenticator) {
	c.t.Helper()
	c.finishUAF(c.enrol(a)).want(http.StatusOK).uaf(1200)
}

// sign asks for an authentication request, which shows message if there is one,
// and has the authenticator answer it.
func (c *client) sign(user string, a *softuaf.Authenticator, message string) string {
	c.t.Helper()
	body := map[string]any{"fidoProtocol": "UAF11"}
	if message != "" {
		body["authenticationMessage"] = message
	}
	r := c.send("POST", "/users/"+user+"/generate-fido-authentication-request", body).want(http.StatusOK)
	c.carry(r)
	response, err := a.Authenticate(r.text("authenticationRequest"))
	if err != nil {
		c.t.Fatal(err)
	}
	return response
}

// confirm sends a transaction that the authenticator signed.
func (c *client) confirm(user, response string) reply {
	c.t.Helper()
	return c.send("POST", "/users/"+user+"/transactions/validate", map[string]any{
		"data": map[string]any{"fido": map[string]any{"fidoProtocol": "UAF11", "authenticationResponse": response}},
	})
}

// uaf wants the answer to carry this UAF status code.
func (r reply) uaf(status int) reply {
	r.t.Helper()
	if got, _ := r.member("uafStatusCode").(float64); int(got) != status {
		r.t.Errorf("%s: UAF status %v, want %d: %s", r.what, r.member("uafStatusCode"), status, r.body)
	}
	return r
}

func methodsOf(r reply) string {
	text, _ := json.Marshal(r.member("methods"))
	return string(text)
}

// Given nothing but a metadata file, every algorithm and both attestations go
// through registration, a sign-in without a password, and a transaction.
func TestEveryUAFAlgorithmAndAttestation(t *testing.T) {
	root, err := softuaf.NewRoot(uaf.AlgorithmP256DER, softuaf.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	metadata, err := softuaf.Metadata(softuaf.DemoModel(root))
	if err != nil {
		t.Fatal(err)
	}
	app := boot(t, "SANDBOX_UAF_METADATA="+string(metadata))
	for _, algorithm := range softuaf.Algorithms() {
		for _, attested := range []bool{true, false} {
			t.Run(fmt.Sprint(softuaf.AlgorithmName(algorithm), " attested: ", attested), func(t *testing.T) {
				a := phone(t, app, func(o *softuaf.Options) {
					o.Algorithm, o.KeyFormat = algorithm, softuaf.DefaultKeyFormat(algorithm)
					if attested { // and the key in its other format
						o.AAID, o.Attestation, o.Root, o.KeyFormat = softuaf.AttestedAAID, uaf.TagAttestationFull, root, o.KeyFormat+1
					}
				})
				program(t, app).signedIn("alice@sandbox").registerUAF(a)
				c := program(t, app)
				for range 2 {
					c.finishSignIn("alice@sandbox", c.sign("alice@sandbox", a, "")).want(http.StatusOK).uaf(1200)
				}
				r := c.confirm("me", c.sign("me", a, "Pay 5 EUR")).want(http.StatusOK).uaf(1200)
				if r.text("sessionStatus") != "accepted" {
					t.Errorf("the transaction: %s", r.body)
				}
			})
		}
	}
}

// The pre-session of the request carries the ceremony to the login, and ends
// with it.
func TestSigningInWithUAFAndNoPassword(t *testing.T) {
	app := boot(t)
	a := phone(t, app)
	program(t, app).signedIn("alice@sandbox").registerUAF(a)

	c := program(t, app)
	response := c.sign("alice@sandbox", a, "")
	before := c.header.Get("Authorization")
	c.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
	program(t, app).finishSignIn("alice@sandbox", response).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
	r := c.finishSignIn("alice@sandbox", response).want(http.StatusOK).uaf(1200)
	if after := c.header.Get("Authorization"); after == before || r.text("sessionToken") == "" {
		t.Error("the token is still that of the pre-session")
	}
	me := c.send("GET", "/session", nil).want(http.StatusOK)
	if methodsOf(me) != `["uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
	c.send("GET", "/session", nil, "Authorization", before).refused(http.StatusUnauthorized, "session.required")

	inABrowser := browser(t, app)
	inABrowser.finishSignIn("alice@sandbox", inABrowser.sign("alice@sandbox", a, "")).want(http.StatusOK).uaf(1200)
	if me := inABrowser.send("GET", "/session", nil).want(http.StatusOK); methodsOf(me) != `["uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
}

func TestAUAFCeremonyIsSpentOnce(t *testing.T) {
	app := boot(t)
	a := phone(t, app)
	c := program(t, app).signedIn("alice@sandbox")
	response := c.enrol(a)
	c.finishUAF(response).want(http.StatusOK)
	untouched(t, app, func() {
		c.finishUAF(response).refused(http.StatusConflict, "ceremony.spent").uaf(1491)
	}, "registerFidoDevice")
	confirmed := c.sign("me", a, "Pay 5 EUR")
	c.confirm("me", confirmed).want(http.StatusOK)
	untouched(t, app, func() {
		c.confirm("me", confirmed).refused(http.StatusConflict, "ceremony.spent").uaf(1491)
	}, "validateTransaction")
	signed := c.sign("alice@sandbox", a, "")
	c.finishSignIn("alice@sandbox", signed).want(http.StatusOK)
	untouched(t, app, func() {
		c.finishSignIn("alice@sandbox", signed).refused(http.StatusConflict, "ceremony.spent").uaf(1491)
	}, "login")
}

func TestNobodyFinishesAnothersUAFCeremony(t *testing.T) {
	app := boot(t)
	a := phone(t, app)
	alice, other, bob := program(t, app).signedIn("alice@sandbox"), program(t, app).signedIn("alice@sandbox"), program(t, app).signedIn("bob@sandbox")
	response := alice.enrol(a)
	untouched(t, app, func() {
		other.finishUAF(response).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
		bob.finishUAF(response).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
	}, "registerFidoDevice")
	alice.finishUAF(response).want(http.StatusOK)

	signed, confirmed := alice.sign("alice@sandbox", a, ""), alice.sign("me", a, "Pay 5 EUR")
	untouched(t, app, func() {
		other.finishSignIn("alice@sandbox", signed).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
		bob.finishSignIn("alice@sandbox", signed).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
		other.confirm("me", confirmed).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
		bob.confirm("alice@sandbox", confirmed).refused(http.StatusForbidden, "session.forbidden")
		program(t, app).confirm("alice@sandbox", confirmed).refused(http.StatusUnauthorized, "session.required")
		// One's own, but begun for somebody else.
		alice.finishSignIn("bob@sandbox", signed).refused(http.StatusConflict, "ceremony.mismatch").uaf(1491)
	}, "login", "validateTransaction")
	// The counter has moved on in one signed later, so that is the one to finish.
	alice.confirm("me", confirmed).want(http.StatusOK)
}

// Registrations of both protocols run side by side in one session.
func TestBothProtocolsSideBySide(t *testing.T) {
	app := boot(t)
	a, key := phone(t, app), newPasskey(app)
	c := program(t, app).signedIn("alice@sandbox")
	created, enrolled := c.create(key, c.requestRegistration().want(http.StatusOK)), c.enrol(a)
	untouched(t, app, func() {
		c.finishUAF(created).refused(http.StatusBadRequest, "ceremony.malformed").uaf(1498)
		c.finishRegistration(enrolled).refused(http.StatusBadRequest, "ceremony.malformed")
	}, "registerFidoDevice")
	c.finishUAF(enrolled).want(http.StatusOK).uaf(1200)
	if r := c.finishRegistration(created).want(http.StatusOK); r.member("uafStatusCode") != nil {
		t.Errorf("FIDO2: %s", r.body)
	}
	var protocols []string
	list, _ := c.send("GET", "/users/me/authenticators", nil).want(http.StatusOK).member("authenticators").([]any)
	for _, one := range list {
		authenticator, _ := one.(map[string]any)
		protocols = append(protocols, fmt.Sprint(authenticator["protocol"]))
		if authenticator["protocol"] == "UAF11" && authenticator["aaid"] != string(softuaf.DemoAAID) {
			t.Errorf("registered %v", authenticator)
		}
	}
	if slices.Sort(protocols); !slices.Equal(protocols, []string{"FIDO2", "UAF11"}) {
		t.Errorf("registered %v", protocols)
	}

	signed, got := c.sign("alice@sandbox", a, ""), c.get(key, c.requestSignIn("alice@sandbox"))
	c.finishSignIn("alice@sandbox", got).want(http.StatusOK)
	c.finishSignIn("alice@sandbox", signed).want(http.StatusOK).uaf(1200)
	if me := c.send("GET", "/session", nil); methodsOf(me) != `["password","fido2","uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
}

// Each of these is refused here, with its key and UAF status, and the platform
// never hears of it.
func TestBrokenUAFResponsesNeverReachThePlatform(t *testing.T) {
	app := boot(t)
	const evil = "https://evil.example"
	params := func(change func(*uaf.FinalChallengeParams)) softuaf.Tamper { return softuaf.Tamper{Params: change} }
	header := func(change func(*uaf.Header)) softuaf.Tamper {
		return softuaf.Tamper{Response: func(r *uaf.Response) { change(&r.Header) }}
	}
	signed := func(change func(*uaf.Element)) softuaf.Tamper { return softuaf.Tamper{Signed: change} }
	encoded := func(change func([]byte) []byte) softuaf.Tamper { return softuaf.Tamper{Encoded: change} }
	cases := []struct {
		name   string
		tamper softuaf.Tamper
		status int
		key    string
		code   int
	}{
		{"a facet nobody trusts", params(func(p *uaf.FinalChallengeParams) { p.FacetID = evil }), 400, "ceremony.origin", 1498},
		{"a facet in another case", params(func(p *uaf.FinalChallengeParams) { p.FacetID = strings.ToUpper(p.FacetID) }), 400, "ceremony.origin", 1498},
		{"another appID", params(func(p *uaf.FinalChallengeParams) { p.AppID = evil + "/uaf/facets" }), 400, "ceremony.rp", 1498},
		{"the facet for appID", params(func(p *uaf.FinalChallengeParams) { p.AppID = p.FacetID }), 400, "ceremony.rp", 1498},
		{"another appID in the header", header(func(h *uaf.Header) { h.AppID = evil }), 400, "ceremony.rp", 1498},
		{"another operation", header(func(h *uaf.Header) { h.Operation = "Dereg" }), 400, "ceremony.type", 1498},
		{"another challenge", params(func(p *uaf.FinalChallengeParams) { p.Challenge = strings.Repeat("A", 43) }), 409, "ceremony.unknown", 1491},
		{"no challenge", params(func(p *uaf.FinalChallengeParams) { p.Challenge = "" }), 400, "ceremony.malformed", 1498},
		{"another version", header(func(h *uaf.Header) { h.Version.Minor = 0 }), 400, "ceremony.malformed", 1498},
		{"a byte behind the assertion", encoded(func(b []byte) []byte { return append(b, 0) }), 400, "ceremony.malformed", 1498},
		{"an assertion cut short", encoded(func(b []byte) []byte { return b[:len(b)-1] }), 400, "ceremony.malformed", 1498},
		{"a length that lies", encoded(func(b []byte) []byte { b[2]++; return b }), 400, "ceremony.malformed", 1498},
		{"an element too many", signed(func(e *uaf.Element) { e.Children = append(e.Children, e.Children[0]) }), 400, "ceremony.malformed", 1498},
		{"an element too few", signed(func(e *uaf.Element) { e.Children = e.Children[1:] }), 400, "ceremony.malformed", 1498},
		{"a critical extension", signed(func(e *uaf.Element) {
			e.Children = append(e.Children, uaf.Element{Tag: uaf.TagCriticalExtension, Children: []uaf.Element{
				{Tag: uaf.TagExtensionID, Value: []byte("x")}, {Tag: uaf.TagExtensionData},
			}})
		}), 400, "ceremony.malformed", 1498},
		{"no assertion", softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions = nil }}, 400, "ceremony.malformed", 1498},
	}
	a := phone(t, app)
	c := program(t, app).signedIn("alice@sandbox")
	c.registerUAF(a)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			enrolled := c.enrol(tampered(phone(t, app), tc.tamper))
			in, shown := c.sign("alice@sandbox", tampered(a, tc.tamper), ""), c.sign("me", a, "Pay 5 EUR")
			a.Options.Tamper = softuaf.Tamper{}
			untouched(t, app, func() {
				for _, r := range []reply{c.finishUAF(enrolled), c.finishSignIn("alice@sandbox", in), c.confirm("me", shown)} {
					r.refused(tc.status, tc.key).uaf(tc.code)
				}
			}, "registerFidoDevice", "login", "validateTransaction")
		})
	}
	untouched(t, app, func() {
		c.finishUAF(`[{"header":`).refused(http.StatusBadRequest, "ceremony.malformed").uaf(1400)
		c.finishSignIn("alice@sandbox", "[]").refused(http.StatusBadRequest, "ceremony.malformed").uaf(1498)
	}, "registerFidoDevice", "login")
}

// Whatever was wrong with it, a refused sign-in is 1401, and says no more.
func TestARefusedUAFSignInIsUnauthorized(t *testing.T) {
	app := boot(t)
	a := phone(t, app)
	c := program(t, app).signedIn("alice@sandbox")
	c.registerUAF(a)
	for name, tamper := range map[string]softuaf.Tamper{
		"a wrong signature":            {Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		"another final challenge hash": {FCHash: func(string) []byte { return make([]byte, 32) }},
		"somebody else's serverData":   {Response: func(r *uaf.Response) { r.Header.ServerData = "AAAA" }},
	} {
		t.Run(name, func(t *testing.T) {
			stranger := program(t, app)
			stranger.finishSignIn("alice@sandbox", stranger.sign("alice@sandbox", tampered(a, tamper), "")).
				refused(http.StatusConflict, "sign-in.refused").uaf(1401)
			c.confirm("me", c.sign("me", a, "Pay 5 EUR")).refused(http.StatusConflict, "transaction.refused")
		})
	}
}

// What is no UAF sign-in has no UAF status: the platform's would tell one account
// from another.
func TestARefusedPasswordHasNoUAFStatus(t *testing.T) {
	app := boot(t)
	for operation, send := range map[string]func() reply{
		"login": func() reply { return wrongPassword(program(t, app), "alice@sandbox") },
		"registerUser": func() reply {
			return program(t, app).send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`)
		},
	} {
		for _, code := range []int{1401, 1404} {
			manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "status": 409, "body": map[string]any{"message": "User is disabled", "uafStatusCode": code}})
			if r := send().refused(http.StatusConflict, "sign-in.refused"); r.member("uafStatusCode") != nil {
				t.Errorf("%s, %d: %s", operation, code, r.body)
			}
		}
	}
}

// Where nothing is hidden, the platform's own status is told.
func TestAnOpenInstallationTellsTheUAFStatus(t *testing.T) {
	app := boot(t, "REVEAL_ACCOUNT_STATE=true")
	a := phoneOf(t, app, "alice@sandbox")
	c := program(t, app)
	response := c.sign("alice@sandbox", a, "")
	manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 409, "body": map[string]any{"message": "User is locked", "uafStatusCode": 1404}})
	c.finishSignIn("alice@sandbox", response).refused(http.StatusConflict, "account.locked").uaf(1404)
}

// What the relay tolerates the platform judges: here are its codes.
func TestThePlatformsVerdictOnUAFIsPassedOn(t *testing.T) {
	app := boot(t)
	c := program(t, app).signedIn("alice@sandbox")
	for name, tc := range map[string]struct {
		tamper softuaf.Tamper
		code   int
	}{
		"a wrong signature":            {softuaf.Tamper{Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }}, 1496},
		"another final challenge hash": {softuaf.Tamper{FCHash: func(string) []byte { return make([]byte, 32) }}, 1498},
		"an unknown model": {softuaf.Tamper{Signed: func(e *uaf.Element) {
			i := slices.IndexFunc(e.Children, func(c uaf.Element) bool { return c.Tag == uaf.TagAAID })
			e.Children[i].Value = []byte("0000#0000")
		}}, 1480},
		"serverData that is not the platform's": {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.ServerData = "AAAA" }}, 1491},
	} {
		t.Run(name, func(t *testing.T) {
			c.finishUAF(c.enrol(tampered(phone(t, app), tc.tamper))).refused(http.StatusConflict, "ceremony.refused").uaf(tc.code)
		})
	}
	// A model that nobody knows is not asked to register at all.
	r := c.send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).want(http.StatusOK)
	stranger := phone(t, app, func(o *softuaf.Options) { o.AAID = "0000#0000" })
	if _, err := stranger.Register(r.text("registrationRequest")); err == nil {
		t.Error("the policy accepts a model without metadata")
	}
}

func TestUAFTransactions(t *testing.T) {
	app := boot(t)
	a := phone(t, app)
	c := program(t, app).signedIn("alice@sandbox")
	c.registerUAF(a)

	other, err := uaf.NewTextTransaction("Pay 9999 EUR to Eve")
	if err != nil {
		t.Fatal(err)
	}
	swap := softuaf.Tamper{Signed: func(e *uaf.Element) {
		i := slices.IndexFunc(e.Children, func(c uaf.Element) bool { return c.Tag == uaf.TagTransactionContentHash })
		e.Children[i].Value = other.Hash()
	}}
	nothing := softuaf.Tamper{Signed: func(e *uaf.Element) {
		for i := range e.Children {
			switch child := &e.Children[i]; child.Tag {
			case uaf.TagTransactionContentHash:
				child.Value = nil
			case uaf.TagAssertionInfo:
				child.Value[2] = byte(uaf.ModeVerified)
			}
		}
	}}
	untouched(t, app, func() {
		for _, change := range []softuaf.Tamper{swap, nothing} {
			c.confirm("me", c.sign("me", tampered(a, change), "Pay 5 EUR to Bob")).refused(http.StatusConflict, "ceremony.mismatch").uaf(1498)
		}
		a.Options.Tamper = softuaf.Tamper{}
		// A sign-in confirms nothing, and a transaction signs nobody in.
		c.confirm("me", c.sign("me", a, "")).refused(http.StatusConflict, "ceremony.mismatch").uaf(1491)
		c.finishSignIn("alice@sandbox", c.sign("me", a, "Pay 5 EUR to Bob")).refused(http.StatusConflict, "ceremony.mismatch").uaf(1491)
	}, "validateTransaction", "login")

	c.confirm("me", c.sign("me", a, "Pay 5 EUR to Bob")).want(http.StatusOK).uaf(1200)

	message := map[string]any{"fidoProtocol": "UAF11", "authenticationMessage": "Pay 5 EUR"}
	const ask = "/users/alice@sandbox/generate-fido-authentication-request"
	manage(t, app, "POST", "/faults", map[string]any{"operation": "generateFidoAuthenticationRequest", "error": "No words that we know"})
	c.send("POST", ask, message).refused(http.StatusConflict, "transaction.refused")
	program(t, app).send("POST", ask, message).refused(http.StatusUnauthorized, "session.required")
	program(t, app).signedIn("bob@sandbox").send("POST", ask, message).refused(http.StatusForbidden, "session.forbidden")
}

// Removing a registration answers with a request that has the authenticator
// delete its key.
func TestUAFDeregistration(t *testing.T) {
	app := boot(t)
	a, other := phone(t, app), phone(t, app)
	c := program(t, app).signedIn("alice@sandbox")
	c.registerUAF(a)
	c.registerUAF(other)
	pending := c.sign("alice@sandbox", a, "")
	list, _ := c.send("GET", "/users/me/authenticators", nil).want(http.StatusOK).member("authenticators").([]any)
	first, _ := list[0].(map[string]any)
	r := c.send("DELETE", "/users/me/authenticators/"+fmt.Sprint(first["id"]), nil).want(http.StatusOK)
	for one, want := range map[*softuaf.Authenticator]int{a: 1, other: 0} {
		if deleted, err := one.Deregister(r.text("deregistrationRequest")); err != nil || deleted != want {
			t.Errorf("deleted %d keys (%v), want %d", deleted, err, want)
		}
	}
	c.finishSignIn("alice@sandbox", pending).refused(http.StatusConflict, "sign-in.refused")
	fresh := program(t, app)
	fresh.finishSignIn("alice@sandbox", fresh.sign("alice@sandbox", other, "")).want(http.StatusOK)

	// The last one of a session that has no other method wants a word more.
	list, _ = fresh.send("GET", "/users/me/authenticators", nil).want(http.StatusOK).member("authenticators").([]any)
	last, _ := list[0].(map[string]any)
	path := "/users/me/authenticators/" + fmt.Sprint(last["id"])
	fresh.send("DELETE", path, nil).refused(http.StatusConflict, "authenticator.last")
	fresh.send("DELETE", path+"?confirm=last", nil).want(http.StatusOK)
}

// An app appears under the names that its certificate gives it, in both
// protocols, once it is in the settings.
func TestAnAppsOriginAndFacets(t *testing.T) {
	fingerprint := bytes.Repeat([]byte{0xA5, 0x0F}, 16)
	hash := base64.RawURLEncoding.EncodeToString(fingerprint)
	setting := "com.example.app=" + strings.ReplaceAll(fmt.Sprintf("% X", fingerprint), " ", ":")
	android := "android:apk-key-hash:" + hash
	facet := func(id string) func(*softuaf.Options) { return func(o *softuaf.Options) { o.FacetID = id } }
	passkey := authenticator.NewFIDO2(authenticator.Options{Origin: android, UserVerifying: true, Discoverable: true})

	plain := boot(t)
	c := program(t, plain).signedIn("alice@sandbox")
	untouched(t, plain, func() {
		c.finishUAF(c.enrol(phone(t, plain, facet(android)))).refused(http.StatusBadRequest, "ceremony.origin").uaf(1498)
		c.finishRegistration(c.create(passkey, c.requestRegistration())).refused(http.StatusBadRequest, "ceremony.origin")
	}, "registerFidoDevice")

	app := boot(t, "APPS_ANDROID="+setting, "APPS_IOS=ABCDE12345.com.example.app")
	document := program(t, app).send("GET", "/uaf/facets", nil).want(http.StatusOK)
	facets, err := uaf.ParseTrustedFacets(document.body)
	if err != nil || document.header.Get("Content-Type") != uaf.TrustedFacetsMediaType {
		t.Fatalf("%s (%v)", document.body, err)
	}
	for _, id := range []string{app.URL(), android, "ios:bundle-id:com.example.app"} {
		if !slices.Contains(facets, id) {
			t.Errorf("%s is not in %q", id, facets)
		}
		a := phone(t, app, facet(id))
		c := program(t, app).signedIn("alice@sandbox")
		c.registerUAF(a)
		c.finishSignIn("alice@sandbox", c.sign("alice@sandbox", a, "")).want(http.StatusOK).uaf(1200)
	}
	passkey = authenticator.NewFIDO2(authenticator.Options{Origin: android, UserVerifying: true, Discoverable: true})
	program(t, app).signedIn("bob@sandbox").register(passkey)
	program(t, app).passkey("bob@sandbox", passkey)
}

// UAF clients trust no web origin of another domain than the appID's, whatever
// passkeys may be used there, and so neither do we.
func TestAnOriginOfAnotherDomainIsNoFacet(t *testing.T) {
	const elsewhere = "https://cs.example"
	app := boot(t, "RP_ORIGINS=http://localhost,"+elsewhere, "SANDBOX_UAF_FACETS=http://localhost,"+elsewhere)
	document := program(t, app).send("GET", "/uaf/facets", nil).want(http.StatusOK)
	facets, err := uaf.ParseTrustedFacets(document.body)
	if err != nil || !slices.Equal(facets, []string{"http://localhost"}) {
		t.Errorf("%s (%v)", document.body, err)
	}
	c := program(t, app).signedIn("alice@sandbox")
	untouched(t, app, func() {
		a := phone(t, app, func(o *softuaf.Options) { o.FacetID = elsewhere })
		c.finishUAF(c.enrol(a)).refused(http.StatusBadRequest, "ceremony.origin").uaf(1498)
	}, "registerFidoDevice")
	c.registerUAF(phone(t, app, func(o *softuaf.Options) { o.FacetID = "http://localhost" }))
}

// The message reaches the platform byte for byte: its odd spelling, unknown
// members and escapes too.
func TestUAFMessagesTravelByteForByte(t *testing.T) {
	request, err := uaf.RegistrationRequest{
		Header:    uaf.NewHeader(uaf.OperationRegistration, "", ""), // the facet is the appID
		Challenge: strings.Repeat("A", 22), Username: "alice", Policy: uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{softuaf.DemoAAID}}}}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan string, 1)
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/login"):
			io.WriteString(w, `{"sessionStatus":"accepted"}`)
		case strings.HasSuffix(r.URL.Path, "/generate-fido-registration-request"):
			json.NewEncoder(w).Encode(map[string]any{"registrationRequest": " " + request + "\n", "uafStatusCode": 1200})
		case strings.HasSuffix(r.URL.Path, "/register-fido-device"):
			var in struct{ RegistrationResponse string }
			_ = json.Unmarshal(body, &in)
			sent <- in.RegistrationResponse
			io.WriteString(w, `{"uafStatusCode":1200}`)
		default:
			io.WriteString(w, `{}`)
		}
	}))
	t.Cleanup(platform.Close)
	app := inFrontOf(t, platform.URL)
	c := throughTheListener{program(t, app)}
	c.carry(c.post("/users/alice@sandbox/login", map[string]any{"credentials": map[string]any{"passKey": "x"}}))
	asked := c.post("/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"})
	if got := asked.text("registrationRequest"); got != " "+request+"\n" {
		t.Errorf("the request arrived as %q", got)
	}
	a := phone(t, app)
	response, err := a.Register(asked.text("registrationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	odd := "\n [ " + strings.Replace(response[1:len(response)-1], `"header":`, `"unknown" : {"x":[1e3,"\u003c\/"]},  "header" :`, 1) + "\t]\n"
	c.post("/users/me/register-fido-device", map[string]any{"fidoProtocol": "UAF11", "registrationResponse": odd})
	if got := <-sent; got != odd {
		t.Errorf("the platform was sent %q, not %q", got, odd)
	}
}

// inFrontOf is Countersign with the settings of production.
func inFrontOf(t *testing.T, platform string) *App {
	t.Helper()
	cfg, err := config.Load([]string{
		"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_PUBLIC_ORIGIN=https://cs.example",
		"COUNTERSIGN_PLATFORM_URL=" + platform, "COUNTERSIGN_IDENTITY_AUTHORIZATION=none",
		"COUNTERSIGN_REDIS_URL=redis://" + miniredis.RunT(t).Addr(),
		"COUNTERSIGN_SESSION_KEYS=" + strings.Repeat("ab", 32), "COUNTERSIGN_DECOY_KEY=" + strings.Repeat("cd", 32),
	}, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, New(cfg, slog.New(slog.DiscardHandler)))
}

// throughTheListener is an app behind a proxy that ends TLS.
type throughTheListener struct{ *client }

func (c throughTheListener) post(path string, body any) reply {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.app.public.url()+path, bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Host = c.app.config.PublicOrigin.Host()
	request.Header = c.header.Clone()
	request.Header.Set("Content-Type", "application/json")
	return c.do(request).want(http.StatusOK)
}
