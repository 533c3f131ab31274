package uaf_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/uaf"
)

// Each of these is refused here, with its key and UAF status, and does not reach the
// platform.
func brokenUAFResponsesNeverReachThePlatform(t *testing.T, app *e2etest.App) {
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
func aRefusedUAFSignInIsUnauthorized(t *testing.T, app *e2etest.App) {
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)
	for name, tamper := range map[string]softuaf.Tamper{
		"a wrong signature":            {Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		"another final challenge hash": {FCHash: func(string) []byte { return make([]byte, 32) }},
		"somebody else's serverData":   {Response: func(r *uaf.Response) { r.Header.ServerData = "AAAA" }},
	} {
		t.Run(name, func(t *testing.T) {
			signedOut := e2etest.Program(t, app)
			signedOut.FinishSignIn("alice@sandbox", signedOut.Sign("alice@sandbox", tampered(a, tamper), "")).
				Refused(http.StatusConflict, "sign-in.refused").UAFStatus(1401)
			c.Confirm("me", c.Sign("me", a, "Pay 5 EUR")).Refused(http.StatusConflict, "transaction.refused")
		})
	}
}

// A sign-in without UAF has no UAF status: the platform's would distinguish accounts.
func aRefusedPasswordHasNoUAFStatus(t *testing.T, app *e2etest.App) {
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

// An installation that hides nothing passes on the platform's own status.
func TestAnOpenInstallationTellsTheUAFStatus(t *testing.T) {
	app := e2etest.Boot(t, "REVEAL_ACCOUNT_STATE=true")
	a := e2etest.PhoneOf(t, app, "alice@sandbox")
	c := e2etest.Program(t, app)
	response := c.Sign("alice@sandbox", a, "")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 409, "body": map[string]any{"message": "User is locked", "uafStatusCode": 1404}})
	c.FinishSignIn("alice@sandbox", response).Refused(http.StatusConflict, "account.locked").UAFStatus(1404)
}

// The platform judges what the relay tolerates; these are its codes.
func thePlatformsVerdictOnUAFIsPassedOn(t *testing.T, app *e2etest.App) {
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
	// The platform does not ask an unknown model to register.
	r := c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).Want(http.StatusOK)
	outsider := e2etest.Phone(t, app, func(o *softuaf.Options) { o.AAID = "0000#0000" })
	if _, err := outsider.Register(r.Text("registrationRequest")); err == nil {
		t.Error("the policy accepts a model without metadata")
	}
}
