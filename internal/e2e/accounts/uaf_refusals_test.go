package accounts_test

import (
	"net/http"
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
	cases := []struct {
		name   string
		tamper softuaf.Tamper
		status int
		key    string
		code   int
	}{
		{"a facet nobody trusts", params(func(p *uaf.FinalChallengeParams) { p.FacetID = evil }), 400, "ceremony.origin", 1498},
		{"another appID", params(func(p *uaf.FinalChallengeParams) { p.AppID = evil + "/uaf/facets" }), 400, "ceremony.rp", 1498},
		{"another challenge", params(func(p *uaf.FinalChallengeParams) { p.Challenge = strings.Repeat("A", 43) }), 409, "ceremony.unknown", 1491},
		{"no challenge", params(func(p *uaf.FinalChallengeParams) { p.Challenge = "" }), 400, "ceremony.malformed", 1498},
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

// The platform judges what the relay tolerates, and its code is passed on; a refused sign-in is 1401
// and says no more.
func thePlatformsVerdictOnUAFIsPassedOn(t *testing.T, app *e2etest.App) {
	wrong := softuaf.Tamper{Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }}
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)
	c.FinishUAF(c.Enrol(tampered(e2etest.Phone(t, app), wrong))).Refused(http.StatusConflict, "ceremony.refused").UAFStatus(1496)
	signedOut := e2etest.Program(t, app)
	signedOut.FinishSignIn("alice@sandbox", signedOut.Sign("alice@sandbox", tampered(a, wrong), "")).
		Refused(http.StatusConflict, "sign-in.refused").UAFStatus(1401)
	c.Confirm("me", c.Sign("me", a, "Pay 5 EUR")).Refused(http.StatusConflict, "transaction.refused")
}
