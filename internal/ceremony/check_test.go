package ceremony_test

import (
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

// clientData returns a tampering that changes client data alone.
func clientData(change func(*authenticator.ClientData)) authenticator.Tampering {
	return authenticator.Tampering{ClientData: change}
}

func fromOrigin(o string) authenticator.Tampering {
	return clientData(func(c *authenticator.ClientData) { c.Origin = o })
}

func TestCheck_ClientAndRelyingParty(t *testing.T) {
	t.Parallel()
	own, empty := origin, ""
	type forgery struct {
		authenticator.Tampering
		want fault.Key
	}
	for name, c := range map[string]forgery{
		"honest":           {authenticator.Tampering{}, ""},
		"our other origin": {fromOrigin("https://example.org"), ""},
		"type of the other ceremony": {clientData(func(c *authenticator.ClientData) {
			c.Type = map[string]string{authenticator.TypeCreate: authenticator.TypeGet, authenticator.TypeGet: authenticator.TypeCreate}[c.Type]
		}), fault.CeremonyType},
		"type of neither":            {clientData(func(c *authenticator.ClientData) { c.Type = "webauthn.payment" }), fault.CeremonyType},
		"type in another case":       {clientData(func(c *authenticator.ClientData) { c.Type = "Webauthn.Create" }), fault.CeremonyType},
		"type empty":                 {clientData(func(c *authenticator.ClientData) { c.Type = "" }), fault.CeremonyType},
		"type of FIDO U2F":           {clientData(func(c *authenticator.ClientData) { c.Type = "navigator.id.finishEnrollment" }), fault.CeremonyType},
		"another challenge":          {clientData(func(c *authenticator.ClientData) { c.Challenge = encode(challenge("else")) }), fault.CeremonyMismatch},
		"half the challenge":         {clientData(func(c *authenticator.ClientData) { c.Challenge = c.Challenge[:20] }), fault.CeremonyMismatch},
		"foreign origin":             {fromOrigin("https://evil.example"), fault.CeremonyOrigin},
		"origin empty":               {fromOrigin(""), fault.CeremonyOrigin},
		"origin null":                {fromOrigin("null"), fault.CeremonyOrigin},
		"origin in upper case":       {fromOrigin("https://LOGIN.example.org"), fault.CeremonyOrigin},
		"origin with a path":         {fromOrigin(origin + "/"), fault.CeremonyOrigin},
		"origin with its port":       {fromOrigin(origin + ":443"), fault.CeremonyOrigin},
		"origin with another port":   {fromOrigin(origin + ":8443"), fault.CeremonyOrigin},
		"origin of another scheme":   {fromOrigin("http://login.example.org"), fault.CeremonyOrigin},
		"origin with a user":         {fromOrigin("https://x@login.example.org"), fault.CeremonyOrigin},
		"origin with a final dot":    {fromOrigin(origin + "."), fault.CeremonyOrigin},
		"origin of a subdomain":      {fromOrigin("https://a.login.example.org"), fault.CeremonyOrigin},
		"origin that ends like ours": {fromOrigin("https://evil-example.org"), fault.CeremonyOrigin},
		"origin with white space":    {fromOrigin(origin + " "), fault.CeremonyOrigin},
		"origin of another app":      {fromOrigin("android:apk-key-hash:AAAA"), fault.CeremonyOrigin},
		"framed":                     {clientData(func(c *authenticator.ClientData) { c.CrossOrigin = true }), fault.CeremonyOrigin},
		"framed below ourselves":     {clientData(func(c *authenticator.ClientData) { c.CrossOrigin, c.TopOrigin = true, &own }), fault.CeremonyOrigin},
		"top origin alone":           {clientData(func(c *authenticator.ClientData) { c.TopOrigin = &own }), fault.CeremonyOrigin},
		"top origin empty":           {clientData(func(c *authenticator.ClientData) { c.TopOrigin = &empty }), fault.CeremonyOrigin},
		"another relying party":      {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "example.com" }}, fault.CeremonyRP},
		"RP ID in upper case":        {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "EXAMPLE.ORG" }}, fault.CeremonyRP},
		"RP ID of the subdomain":     {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "login.example.org" }}, fault.CeremonyRP},
		"RP ID that is the origin":   {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = origin }}, fault.CeremonyRP},
		"RP ID empty":                {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "" }}, fault.CeremonyRP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ceremonies(t, authenticator.Options{}, c.Tampering)
			wantKey(t, "registration", judge(p.registration), c.want)
			wantKey(t, "sign-in", judgeSignIn(p.assertion), c.want)
		})
	}
}

func TestOrigin_OfAndroidApp(t *testing.T) {
	t.Parallel()
	const app = "android:apk-key-hash:bWluZQ"
	p := ceremonies(t, authenticator.Options{Origin: app}, authenticator.Tampering{})
	wantKey(t, "not trusted", judge(p.registration), fault.CeremonyOrigin)
	r, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, p.registration)
	if err != nil {
		t.Fatal(err)
	}
	pending, got := pendingRegistration()
	wantKey(t, "trusted", ceremony.RelyingParty{Origins: []string{origin, app}}.Check(pending, got, r), "")
	wantKey(t, "as a facet alone", ceremony.RelyingParty{Facets: []string{app}}.Check(pending, got, r), fault.CeremonyOrigin)
}

func TestCheck_CeremonyMismatch(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	registration, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, p.registration)
	if err != nil {
		t.Fatal(err)
	}
	assertion, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, p.assertion)
	if err != nil {
		t.Fatal(err)
	}
	type change = func(*ceremony.Pending, *ceremony.ClientClaims)
	for name, c := range map[string]struct {
		change
		want fault.Key
	}{
		"as it should be":            {func(*ceremony.Pending, *ceremony.ClientClaims) {}, ""},
		"no requestID":               {func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.RequestID = "" }, ""},
		"another requestID":          {func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.RequestID += "0" }, fault.CeremonyMismatch},
		"a requestID where none was": {func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.RequestID = "" }, fault.CeremonyMismatch},
		"another user":               {func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.User = "bob@sandbox" }, fault.CeremonyMismatch},
		"a user in another case":     {func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.User = "Alice@sandbox" }, fault.CeremonyMismatch},
		"no user":                    {func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.User = "" }, fault.CeremonyMismatch},
		"a transaction's ceremony":   {func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Kind = ceremony.Transaction }, fault.CeremonyMismatch},
		"a ceremony of UAF": {func(e *ceremony.Pending, _ *ceremony.ClientClaims) {
			e.Protocol, e.RPID, e.AppID = ceremony.UAF11, "", "https://example.org/uaf/facets"
		}, fault.CeremonyMismatch},
		"presented as UAF":    {func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.Protocol = ceremony.UAF11 }, fault.CeremonyMismatch},
		"another challenge":   {func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Challenge = challenge("else") }, fault.CeremonyMismatch},
		"no challenge at all": {func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Challenge = nil }, fault.CeremonyMismatch},
		"another RP ID":       {func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.RPID = "example.com" }, fault.CeremonyRP},
		"no RP ID":            {func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.RPID = "" }, fault.CeremonyRP},
	} {
		pending, got := pendingRegistration()
		c.change(pending, &got)
		wantKey(t, "registration, "+name, party.Check(pending, got, registration), c.want)
		pending, got = pendingSignIn()
		c.change(pending, &got)
		wantKey(t, "sign-in, "+name, party.Check(pending, got, assertion), c.want)
	}
}

// A ceremony of one kind never finishes another, on any endpoint.
func TestKind_Mismatch(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	assertion, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, p.assertion)
	if err != nil {
		t.Fatal(err)
	}
	for _, begun := range []ceremony.Kind{ceremony.Registration, ceremony.SignIn, ceremony.Transaction, ""} {
		for _, finishing := range []ceremony.Kind{ceremony.SignIn, ceremony.Transaction} {
			pending, got := pendingSignIn()
			pending.Kind, got.Kind = begun, finishing
			want := fault.CeremonyMismatch
			if begun == finishing {
				want = ""
			}
			wantKey(t, string(begun)+" finished as "+string(finishing), party.Check(pending, got, assertion), want)
		}
	}
}

// Of several errors, the first in the order of Check is returned.
func TestCheck_Order(t *testing.T) {
	t.Parallel()
	everything := authenticator.Tampering{
		ClientData: func(c *authenticator.ClientData) {
			c.Type, c.Challenge, c.Origin, c.CrossOrigin = "x", encode(challenge("else")), "https://evil.example", true
		},
		AuthData: func(d *authenticator.AuthData) { d.RPID = "example.com" },
	}
	mend := []struct {
		what string
		fix  func(*authenticator.Tampering)
		want fault.Key
	}{
		{"all of it", func(*authenticator.Tampering) {}, fault.CeremonyType},
		{"all but the type", wrapClientData(func(c *authenticator.ClientData) { c.Type = authenticator.TypeCreate }), fault.CeremonyMismatch},
		{"from the origin on", wrapClientData(func(c *authenticator.ClientData) { c.Challenge = encode(challenge("registration")) }), fault.CeremonyOrigin},
		{"from the frame on", wrapClientData(func(c *authenticator.ClientData) { c.Origin = origin }), fault.CeremonyOrigin},
		{"the relying party and the user", wrapClientData(func(c *authenticator.ClientData) { c.CrossOrigin = false }), fault.CeremonyRP},
		{"the user", func(t *authenticator.Tampering) { t.AuthData = nil }, fault.CeremonyMismatch},
	}
	for _, m := range mend {
		m.fix(&everything)
		p := ceremonies(t, authenticator.Options{}, everything)
		r, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, p.registration)
		if err != nil {
			t.Fatal(err)
		}
		pending, got := pendingRegistration()
		got.User = "bob@sandbox"
		wantKey(t, m.what, party.Check(pending, got, r), m.want)
	}
}

func wrapClientData(fix func(*authenticator.ClientData)) func(*authenticator.Tampering) {
	return func(t *authenticator.Tampering) {
		before := t.ClientData
		t.ClientData = func(c *authenticator.ClientData) {
			before(c)
			fix(c)
		}
	}
}
