package uaf_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/uaf"
)

// tampered is the phone, breaking one thing from now on.
func tampered(a *softuaf.Authenticator, with softuaf.Tamper) *softuaf.Authenticator {
	a.Options.Tamper = with
	return a
}

func methodsOf(r e2etest.Reply) string {
	text, _ := json.Marshal(r.Member("methods"))
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
	app := e2etest.Boot(t, "SANDBOX_UAF_METADATA="+string(metadata))
	for _, algorithm := range softuaf.Algorithms() {
		for _, attested := range []bool{true, false} {
			t.Run(fmt.Sprint(softuaf.AlgorithmName(algorithm), " attested: ", attested), func(t *testing.T) {
				a := e2etest.Phone(t, app, func(o *softuaf.Options) {
					o.Algorithm, o.KeyFormat = algorithm, softuaf.DefaultKeyFormat(algorithm)
					if attested { // and the key in its other format
						o.AAID, o.Attestation, o.Root, o.KeyFormat = softuaf.AttestedAAID, uaf.TagAttestationFull, root, o.KeyFormat+1
					}
				})
				e2etest.Program(t, app).SignedIn("alice@sandbox").RegisterUAF(a)
				c := e2etest.Program(t, app)
				for range 2 {
					c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", a, "")).Want(http.StatusOK).UAFStatus(1200)
				}
				r := c.Confirm("me", c.Sign("me", a, "Pay 5 EUR")).Want(http.StatusOK).UAFStatus(1200)
				if r.Text("sessionStatus") != "accepted" {
					t.Errorf("the transaction: %s", r.Body)
				}
			})
		}
	}
}

// The pre-session of the request carries the ceremony to the login, and ends
// with it.
func TestSigningInWithUAFAndNoPassword(t *testing.T) {
	app := e2etest.Boot(t)
	a := e2etest.Phone(t, app)
	e2etest.Program(t, app).SignedIn("alice@sandbox").RegisterUAF(a)

	c := e2etest.Program(t, app)
	response := c.Sign("alice@sandbox", a, "")
	before := c.Header.Get("Authorization")
	c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	e2etest.Program(t, app).FinishSignIn("alice@sandbox", response).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
	r := c.FinishSignIn("alice@sandbox", response).Want(http.StatusOK).UAFStatus(1200)
	if after := c.Header.Get("Authorization"); after == before || r.Text("sessionToken") == "" {
		t.Error("the token is still that of the pre-session")
	}
	me := c.Send("GET", "/session", nil).Want(http.StatusOK)
	if methodsOf(me) != `["uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
	c.Send("GET", "/session", nil, "Authorization", before).Refused(http.StatusUnauthorized, "session.required")

	inABrowser := e2etest.Browser(t, app)
	inABrowser.FinishSignIn("alice@sandbox", inABrowser.Sign("alice@sandbox", a, "")).Want(http.StatusOK).UAFStatus(1200)
	if me := inABrowser.Send("GET", "/session", nil).Want(http.StatusOK); methodsOf(me) != `["uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
}

func TestAUAFCeremonyIsSpentOnce(t *testing.T) {
	app := e2etest.Boot(t)
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	response := c.Enrol(a)
	c.FinishUAF(response).Want(http.StatusOK)
	e2etest.Untouched(t, app, func() {
		c.FinishUAF(response).Refused(http.StatusConflict, "ceremony.spent").UAFStatus(1491)
	}, "registerFidoDevice")
	confirmed := c.Sign("me", a, "Pay 5 EUR")
	c.Confirm("me", confirmed).Want(http.StatusOK)
	e2etest.Untouched(t, app, func() {
		c.Confirm("me", confirmed).Refused(http.StatusConflict, "ceremony.spent").UAFStatus(1491)
	}, "validateTransaction")
	signed := c.Sign("alice@sandbox", a, "")
	c.FinishSignIn("alice@sandbox", signed).Want(http.StatusOK)
	e2etest.Untouched(t, app, func() {
		c.FinishSignIn("alice@sandbox", signed).Refused(http.StatusConflict, "ceremony.spent").UAFStatus(1491)
	}, "login")
}

func TestNobodyFinishesAnothersUAFCeremony(t *testing.T) {
	app := e2etest.Boot(t)
	a := e2etest.Phone(t, app)
	alice, other, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	response := alice.Enrol(a)
	e2etest.Untouched(t, app, func() {
		other.FinishUAF(response).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		bob.FinishUAF(response).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
	}, "registerFidoDevice")
	alice.FinishUAF(response).Want(http.StatusOK)

	signed, confirmed := alice.Sign("alice@sandbox", a, ""), alice.Sign("me", a, "Pay 5 EUR")
	e2etest.Untouched(t, app, func() {
		other.FinishSignIn("alice@sandbox", signed).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		bob.FinishSignIn("alice@sandbox", signed).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		other.Confirm("me", confirmed).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		bob.Confirm("alice@sandbox", confirmed).Refused(http.StatusForbidden, "session.forbidden")
		e2etest.Program(t, app).Confirm("alice@sandbox", confirmed).Refused(http.StatusUnauthorized, "session.required")
		// One's own, but begun for somebody else.
		alice.FinishSignIn("bob@sandbox", signed).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1491)
	}, "login", "validateTransaction")
	// The counter has moved on in one signed later, so that is the one to finish.
	alice.Confirm("me", confirmed).Want(http.StatusOK)
}

// Registrations of both protocols run side by side in one session.
func TestBothProtocolsSideBySide(t *testing.T) {
	app := e2etest.Boot(t)
	a, key := e2etest.Phone(t, app), e2etest.NewPasskey(app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	created, enrolled := c.Create(key, c.RequestRegistration().Want(http.StatusOK)), c.Enrol(a)
	e2etest.Untouched(t, app, func() {
		c.FinishUAF(created).Refused(http.StatusBadRequest, "ceremony.malformed").UAFStatus(1498)
		c.FinishRegistration(enrolled).Refused(http.StatusBadRequest, "ceremony.malformed")
	}, "registerFidoDevice")
	c.FinishUAF(enrolled).Want(http.StatusOK).UAFStatus(1200)
	if r := c.FinishRegistration(created).Want(http.StatusOK); r.Member("uafStatusCode") != nil {
		t.Errorf("FIDO2: %s", r.Body)
	}
	var protocols []string
	list, _ := c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
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

	signed, got := c.Sign("alice@sandbox", a, ""), c.Get(key, c.RequestSignIn("alice@sandbox"))
	c.FinishSignIn("alice@sandbox", got).Want(http.StatusOK)
	c.FinishSignIn("alice@sandbox", signed).Want(http.StatusOK).UAFStatus(1200)
	if me := c.Send("GET", "/session", nil); methodsOf(me) != `["password","fido2","uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
}

// Each of these is refused here, with its key and UAF status, and the platform
// never hears of it.
func TestBrokenUAFResponsesNeverReachThePlatform(t *testing.T) {
	app := e2etest.Boot(t)
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
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			enrolled := c.Enrol(tampered(e2etest.Phone(t, app), tc.tamper))
			in, shown := c.Sign("alice@sandbox", tampered(a, tc.tamper), ""), c.Sign("me", a, "Pay 5 EUR")
			a.Options.Tamper = softuaf.Tamper{}
			e2etest.Untouched(t, app, func() {
				for _, r := range []e2etest.Reply{c.FinishUAF(enrolled), c.FinishSignIn("alice@sandbox", in), c.Confirm("me", shown)} {
					r.Refused(tc.status, tc.key).UAFStatus(tc.code)
				}
			}, "registerFidoDevice", "login", "validateTransaction")
		})
	}
	e2etest.Untouched(t, app, func() {
		c.FinishUAF(`[{"header":`).Refused(http.StatusBadRequest, "ceremony.malformed").UAFStatus(1400)
		c.FinishSignIn("alice@sandbox", "[]").Refused(http.StatusBadRequest, "ceremony.malformed").UAFStatus(1498)
	}, "registerFidoDevice", "login")
}

// Whatever was wrong with it, a refused sign-in is 1401, and says no more.
func TestARefusedUAFSignInIsUnauthorized(t *testing.T) {
	app := e2etest.Boot(t)
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)
	for name, tamper := range map[string]softuaf.Tamper{
		"a wrong signature":            {Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		"another final challenge hash": {FCHash: func(string) []byte { return make([]byte, 32) }},
		"somebody else's serverData":   {Response: func(r *uaf.Response) { r.Header.ServerData = "AAAA" }},
	} {
		t.Run(name, func(t *testing.T) {
			stranger := e2etest.Program(t, app)
			stranger.FinishSignIn("alice@sandbox", stranger.Sign("alice@sandbox", tampered(a, tamper), "")).
				Refused(http.StatusConflict, "sign-in.refused").UAFStatus(1401)
			c.Confirm("me", c.Sign("me", a, "Pay 5 EUR")).Refused(http.StatusConflict, "transaction.refused")
		})
	}
}

// What is no UAF sign-in has no UAF status: the platform's would tell one account
// from another.
func TestARefusedPasswordHasNoUAFStatus(t *testing.T) {
	app := e2etest.Boot(t)
	for operation, send := range map[string]func() e2etest.Reply{
		"login": func() e2etest.Reply { return e2etest.WrongPassword(e2etest.Program(t, app), "alice@sandbox") },
		"registerUser": func() e2etest.Reply {
			return e2etest.Program(t, app).Send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`)
		},
	} {
		for _, code := range []int{1401, 1404} {
			e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "status": 409, "body": map[string]any{"message": "User is disabled", "uafStatusCode": code}})
			if r := send().Refused(http.StatusConflict, "sign-in.refused"); r.Member("uafStatusCode") != nil {
				t.Errorf("%s, %d: %s", operation, code, r.Body)
			}
		}
	}
}

// Where nothing is hidden, the platform's own status is told.
func TestAnOpenInstallationTellsTheUAFStatus(t *testing.T) {
	app := e2etest.Boot(t, "REVEAL_ACCOUNT_STATE=true")
	a := e2etest.PhoneOf(t, app, "alice@sandbox")
	c := e2etest.Program(t, app)
	response := c.Sign("alice@sandbox", a, "")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 409, "body": map[string]any{"message": "User is locked", "uafStatusCode": 1404}})
	c.FinishSignIn("alice@sandbox", response).Refused(http.StatusConflict, "account.locked").UAFStatus(1404)
}

// What the relay tolerates the platform judges: here are its codes.
func TestThePlatformsVerdictOnUAFIsPassedOn(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
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
			c.FinishUAF(c.Enrol(tampered(e2etest.Phone(t, app), tc.tamper))).Refused(http.StatusConflict, "ceremony.refused").UAFStatus(tc.code)
		})
	}
	// A model that nobody knows is not asked to register at all.
	r := c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).Want(http.StatusOK)
	stranger := e2etest.Phone(t, app, func(o *softuaf.Options) { o.AAID = "0000#0000" })
	if _, err := stranger.Register(r.Text("registrationRequest")); err == nil {
		t.Error("the policy accepts a model without metadata")
	}
}

func TestUAFTransactions(t *testing.T) {
	app := e2etest.Boot(t)
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)

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
	e2etest.Untouched(t, app, func() {
		for _, change := range []softuaf.Tamper{swap, nothing} {
			c.Confirm("me", c.Sign("me", tampered(a, change), "Pay 5 EUR to Bob")).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1498)
		}
		a.Options.Tamper = softuaf.Tamper{}
		// A sign-in confirms nothing, and a transaction signs nobody in.
		c.Confirm("me", c.Sign("me", a, "")).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1491)
		c.FinishSignIn("alice@sandbox", c.Sign("me", a, "Pay 5 EUR to Bob")).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1491)
	}, "validateTransaction", "login")

	c.Confirm("me", c.Sign("me", a, "Pay 5 EUR to Bob")).Want(http.StatusOK).UAFStatus(1200)

	message := map[string]any{"fidoProtocol": "UAF11", "authenticationMessage": "Pay 5 EUR"}
	const ask = "/users/alice@sandbox/generate-fido-authentication-request"
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "generateFidoAuthenticationRequest", "error": "No words that we know"})
	c.Send("POST", ask, message).Refused(http.StatusConflict, "transaction.refused")
	e2etest.Program(t, app).Send("POST", ask, message).Refused(http.StatusUnauthorized, "session.required")
	e2etest.Program(t, app).SignedIn("bob@sandbox").Send("POST", ask, message).Refused(http.StatusForbidden, "session.forbidden")
}

// Removing a registration answers with a request that has the authenticator
// delete its key.
func TestUAFDeregistration(t *testing.T) {
	app := e2etest.Boot(t)
	a, other := e2etest.Phone(t, app), e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)
	c.RegisterUAF(other)
	pending := c.Sign("alice@sandbox", a, "")
	list, _ := c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
	first, _ := list[0].(map[string]any)
	r := c.Send("DELETE", "/users/me/authenticators/"+fmt.Sprint(first["id"]), nil).Want(http.StatusOK)
	for one, want := range map[*softuaf.Authenticator]int{a: 1, other: 0} {
		if deleted, err := one.Deregister(r.Text("deregistrationRequest")); err != nil || deleted != want {
			t.Errorf("deleted %d keys (%v), want %d", deleted, err, want)
		}
	}
	c.FinishSignIn("alice@sandbox", pending).Refused(http.StatusConflict, "sign-in.refused")
	fresh := e2etest.Program(t, app)
	fresh.FinishSignIn("alice@sandbox", fresh.Sign("alice@sandbox", other, "")).Want(http.StatusOK)

	// The last one of a session that has no other method wants a word more.
	list, _ = fresh.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
	last, _ := list[0].(map[string]any)
	path := "/users/me/authenticators/" + fmt.Sprint(last["id"])
	fresh.Send("DELETE", path, nil).Refused(http.StatusConflict, "authenticator.last")
	fresh.Send("DELETE", path+"?confirm=last", nil).Want(http.StatusOK)
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

	plain := e2etest.Boot(t)
	c := e2etest.Program(t, plain).SignedIn("alice@sandbox")
	e2etest.Untouched(t, plain, func() {
		c.FinishUAF(c.Enrol(e2etest.Phone(t, plain, facet(android)))).Refused(http.StatusBadRequest, "ceremony.origin").UAFStatus(1498)
		c.FinishRegistration(c.Create(passkey, c.RequestRegistration())).Refused(http.StatusBadRequest, "ceremony.origin")
	}, "registerFidoDevice")

	app := e2etest.Boot(t, "APPS_ANDROID="+setting, "APPS_IOS=ABCDE12345.com.example.app")
	document := e2etest.Program(t, app).Send("GET", "/uaf/facets", nil).Want(http.StatusOK)
	facets, err := uaf.ParseTrustedFacets(document.Body)
	if err != nil || document.Header.Get("Content-Type") != uaf.TrustedFacetsMediaType {
		t.Fatalf("%s (%v)", document.Body, err)
	}
	for _, id := range []string{app.URL(), android, "ios:bundle-id:com.example.app"} {
		if !slices.Contains(facets, id) {
			t.Errorf("%s is not in %q", id, facets)
		}
		a := e2etest.Phone(t, app, facet(id))
		c := e2etest.Program(t, app).SignedIn("alice@sandbox")
		c.RegisterUAF(a)
		c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", a, "")).Want(http.StatusOK).UAFStatus(1200)
	}
	passkey = authenticator.NewFIDO2(authenticator.Options{Origin: android, UserVerifying: true, Discoverable: true})
	e2etest.Program(t, app).SignedIn("bob@sandbox").Register(passkey)
	e2etest.Program(t, app).Passkey("bob@sandbox", passkey)
}

// UAF clients trust no web origin of another domain than the appID's, whatever
// passkeys may be used there, and so neither do we.
func TestAnOriginOfAnotherDomainIsNoFacet(t *testing.T) {
	const elsewhere = "https://cs.example"
	app := e2etest.Boot(t, "RP_ORIGINS=http://localhost,"+elsewhere, "SANDBOX_UAF_FACETS=http://localhost,"+elsewhere)
	document := e2etest.Program(t, app).Send("GET", "/uaf/facets", nil).Want(http.StatusOK)
	facets, err := uaf.ParseTrustedFacets(document.Body)
	if err != nil || !slices.Equal(facets, []string{"http://localhost"}) {
		t.Errorf("%s (%v)", document.Body, err)
	}
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Untouched(t, app, func() {
		a := e2etest.Phone(t, app, func(o *softuaf.Options) { o.FacetID = elsewhere })
		c.FinishUAF(c.Enrol(a)).Refused(http.StatusBadRequest, "ceremony.origin").UAFStatus(1498)
	}, "registerFidoDevice")
	c.RegisterUAF(e2etest.Phone(t, app, func(o *softuaf.Options) { o.FacetID = "http://localhost" }))
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
	app := e2etest.InFrontOf(t, platform.URL)
	c := e2etest.Program(t, app)
	c.Carry(c.Send("POST", "/users/alice@sandbox/login", map[string]any{"credentials": map[string]any{"passKey": "x"}}).Want(http.StatusOK))
	asked := c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).Want(http.StatusOK)
	if got := asked.Text("registrationRequest"); got != " "+request+"\n" {
		t.Errorf("the request arrived as %q", got)
	}
	a := e2etest.Phone(t, app)
	response, err := a.Register(asked.Text("registrationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	odd := "\n [ " + strings.Replace(response[1:len(response)-1], `"header":`, `"unknown" : {"x":[1e3,"\u003c\/"]},  "header" :`, 1) + "\t]\n"
	c.Send("POST", "/users/me/register-fido-device", map[string]any{"fidoProtocol": "UAF11", "registrationResponse": odd}).Want(http.StatusOK)
	if got := <-sent; got != odd {
		t.Errorf("the platform was sent %q, not %q", got, odd)
	}
}
