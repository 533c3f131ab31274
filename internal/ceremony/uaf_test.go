package ceremony_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// The relay takes what an authenticator of each algorithm, attestation and form of key signs.
func TestUAFCheck_EveryAlgorithm(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []uaf.SignatureAlgorithm{
		uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER, uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER,
		uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER, uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPKCS1DER,
	} {
		for _, attestation := range []uaf.Tag{uaf.TagAttestationFull, uaf.TagAttestationSurrogate} {
			for _, format := range []uaf.KeyFormat{0, 1} {
				t.Run(fmt.Sprintf("%d %s %d", algorithm, attestation, format), func(t *testing.T) {
					t.Parallel()
					a := phone(t, func(o *softuaf.Options) {
						o.Algorithm, o.Attestation, o.KeyFormat = algorithm, attestation, softuaf.DefaultKeyFormat(algorithm)+format
					})
					for kind, response := range answers(t, a, softuaf.Tamper{}) {
						wantRefusal(t, string(kind), judgeUAF(kind, response), "", 0)
					}
				})
			}
		}
	}
}

func TestUAFCheck_AlteredResponse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*uafMessage)
		want   fault.Key
		status uaf.Status
	}{
		"no appID in the header": {func(m *uafMessage) { m.headerAppID = `""` }, "", 0},
		"a channel":              {func(m *uafMessage) { m.binding = `{"tlsUnique":"x","more":1}` }, "", 0},
		"more in the fcParams":   {func(m *uafMessage) { m.extraParams = `,"more":null` }, "", 0},
		"the other operation": {func(m *uafMessage) {
			m.operation = map[string]string{`"Reg"`: `"Auth"`, `"Auth"`: `"Reg"`}[m.operation]
		}, fault.CeremonyType, uaf.StatusUnacceptableContent},
		"a deregistration":            {func(m *uafMessage) { m.operation = `"Dereg"` }, fault.CeremonyType, uaf.StatusUnacceptableContent},
		"an operation in lower case":  {func(m *uafMessage) { m.operation = strings.ToLower(m.operation) }, fault.CeremonyType, uaf.StatusUnacceptableContent},
		"no operation":                {func(m *uafMessage) { m.operation = `""` }, fault.CeremonyType, uaf.StatusUnacceptableContent},
		"another challenge":           {func(m *uafMessage) { m.challenge = `"AAAAAAAAAAA"` }, fault.CeremonyMismatch, uaf.StatusRequestInvalid},
		"an untrusted facet":          {func(m *uafMessage) { m.facetID = `"android:apk-key-hash:ZXZpbA"` }, fault.CeremonyOrigin, uaf.StatusUnacceptableContent},
		"a facet in upper case":       {func(m *uafMessage) { m.facetID = strings.ToUpper(m.facetID) }, fault.CeremonyOrigin, uaf.StatusUnacceptableContent},
		"an origin that is no facet":  {func(m *uafMessage) { m.facetID = `"` + origin + `"` }, fault.CeremonyOrigin, uaf.StatusUnacceptableContent},
		"another appID":               {func(m *uafMessage) { m.appID = `"https://evil.example/facets"` }, fault.CeremonyRP, uaf.StatusUnacceptableContent},
		"an appID in upper case":      {func(m *uafMessage) { m.appID = strings.ToUpper(m.appID) }, fault.CeremonyRP, uaf.StatusUnacceptableContent},
		"the facet for appID":         {func(m *uafMessage) { m.appID = m.facetID }, fault.CeremonyRP, uaf.StatusUnacceptableContent},
		"another appID in the header": {func(m *uafMessage) { m.headerAppID = `"https://evil.example/facets"` }, fault.CeremonyRP, uaf.StatusUnacceptableContent},
	} {
		for _, kind := range bothUAF {
			m := honestUAF(t, kind)
			c.change(&m)
			wantRefusal(t, string(kind)+", "+name, judgeUAF(kind, m.String()), c.want, c.status)
		}
	}
}

func TestUAFOperation_Mismatch(t *testing.T) {
	t.Parallel()
	wantRefusal(t, "a registration as a sign-in", judgeUAF(ceremony.SignIn, honestUAF(t, ceremony.Registration).String()),
		fault.CeremonyMalformed, uaf.StatusUnacceptableContent)
	wantRefusal(t, "a sign-in as a registration", judgeUAF(ceremony.Registration, honestUAF(t, ceremony.SignIn).String()),
		fault.CeremonyMalformed, uaf.StatusUnacceptableContent)
}

// With an empty appID in the request, the facet is the appID.
func TestUAFAppID_Empty(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*uafMessage)
		want   fault.Key
	}{
		"the facet":             {func(m *uafMessage) { m.appID, m.headerAppID = m.facetID, `""` }, ""},
		"the facet twice":       {func(m *uafMessage) { m.appID, m.headerAppID = m.facetID, m.facetID }, ""},
		"an appID all alike":    {func(*uafMessage) {}, fault.CeremonyRP},
		"a header that differs": {func(m *uafMessage) { m.appID = m.facetID }, fault.CeremonyRP},
	} {
		m := honestUAF(t, ceremony.SignIn)
		c.change(&m)
		r, err := readUAF(ceremony.SignIn, m.String())
		if err != nil {
			t.Fatal(err)
		}
		pending, got := pendingUAF(ceremony.SignIn)
		pending.AppID = ""
		wantRefusal(t, name, party.Check(pending, got, r), c.want, uaf.StatusUnacceptableContent)
	}
}

func TestUAFCheck_CeremonyMismatch(t *testing.T) {
	t.Parallel()
	r, err := readUAF(ceremony.SignIn, honestUAF(t, ceremony.SignIn).String())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*ceremony.Pending, *ceremony.ClientClaims){
		"another user":             func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.User = "bob@sandbox" },
		"a user in another case":   func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.User = "Alice@sandbox" },
		"a requestID out of air":   func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.RequestID = "authentication:1" },
		"a transaction's ceremony": func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Kind = ceremony.Transaction },
		"a registration's":         func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Kind = ceremony.Registration },
		"another challenge":        func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Challenge = challenge("else") },
		"no challenge":             func(e *ceremony.Pending, _ *ceremony.ClientClaims) { e.Challenge = nil },
		"presented as FIDO2":       func(_ *ceremony.Pending, g *ceremony.ClientClaims) { g.Protocol = ceremony.FIDO2 },
		"a ceremony of FIDO2": func(e *ceremony.Pending, _ *ceremony.ClientClaims) {
			e.Protocol, e.AppID, e.RPID = ceremony.FIDO2, "", rpID
		},
	} {
		pending, got := pendingUAF(ceremony.SignIn)
		change(pending, &got)
		wantRefusal(t, name, party.Check(pending, got, r), fault.CeremonyMismatch, uaf.StatusRequestInvalid)
	}
	pending, got := pendingUAF(ceremony.SignIn)
	wantKey(t, "trusted as an origin alone", ceremony.RelyingParty{Origins: []string{facet}}.Check(pending, got, r), fault.CeremonyOrigin)
}

// Of several errors, the first in the order of Check is returned.
func TestUAFCheck_Order(t *testing.T) {
	t.Parallel()
	m := honestUAF(t, ceremony.SignIn)
	m.operation, m.challenge, m.facetID, m.appID = `"x"`, `"AAAAAAAAAAA"`, `"https://evil.example"`, `"https://evil.example/facets"`
	for _, step := range []struct {
		what string
		mend func()
		want fault.Key
	}{
		{"all of it", func() {}, fault.CeremonyType},
		{"all but the operation", func() { m.operation = `"Auth"` }, fault.CeremonyMismatch},
		{"from the facet on", func() { m.challenge = `"` + encode(challenge("uaf")) + `"` }, fault.CeremonyOrigin},
		{"the appID and the user", func() { m.facetID = `"` + facet + `"` }, fault.CeremonyRP},
		{"the user", func() { m.appID = `"` + appID + `"` }, fault.CeremonyMismatch},
	} {
		step.mend()
		r, err := readUAF(ceremony.SignIn, m.String())
		if err != nil {
			t.Fatal(err)
		}
		pending, got := pendingUAF(ceremony.SignIn)
		got.User = "bob@sandbox"
		wantKey(t, step.what, party.Check(pending, got, r), step.want)
	}
}

// The checks that belong to the platform are left to it, even for responses that look bad
// here.
func TestUAFCheck_LeftToPlatform(t *testing.T) {
	t.Parallel()
	for name, tamper := range map[string]softuaf.Tamper{
		"a bad signature":              {Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		"a signature of one byte":      {Signature: func([]byte) []byte { return []byte{1} }},
		"another final challenge hash": {FCHash: func(string) []byte { return make([]byte, 32) }},
		"an unknown model":             {Signed: inElement(uaf.TagAAID, func([]byte) []byte { return []byte("0000#0000") })},
		"an unknown algorithm":         {Signed: inElement(uaf.TagAssertionInfo, func(b []byte) []byte { b[3] = 0x77; return b })},
		"a counter out of bounds": {Signed: inElement(uaf.TagCounters, func(b []byte) []byte {
			return bytes.Repeat([]byte{0xff}, len(b))
		})},
		"an extension of the message that must be known": {Response: func(r *uaf.Response) {
			r.Header.Extensions = []uaf.Extension{{ID: "x", FailIfUnknown: true}}
		}},
	} {
		for kind, response := range answers(t, phone(t), tamper) {
			wantKey(t, string(kind)+", "+name, judgeUAF(kind, response), "")
		}
	}
}

// inElement returns a function that changes the value of the first child with tag.
func inElement(tag uaf.Tag, change func([]byte) []byte) func(*uaf.Element) {
	return func(e *uaf.Element) {
		if i := slices.IndexFunc(e.Children, func(c uaf.Element) bool { return c.Tag == tag }); i >= 0 {
			e.Children[i].Value = change(bytes.Clone(e.Children[i].Value))
		}
	}
}

func TestUAFRequest_AcceptedAndRefused(t *testing.T) {
	t.Parallel()
	header := func(op, appID string) string {
		return `"header":{"upv":{"major":1,"minor":1},"op":"` + op + `","appID":"` + appID + `","serverData":"x","exts":[]}`
	}
	got, err := ceremony.FromRegistrationRequest(ceremony.UAF11,
		`[{"header":{"upv":{"major":1,"minor":0},"op":"Reg"},"challenge":"AA"},{`+header("Reg", appID)+`,"challenge":"AQIDBAUGBwg","username":"alice","policy":{}}]`)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Challenge, []byte{1, 2, 3, 4, 5, 6, 7, 8}) || got.AppID != appID || got.Allowed != nil ||
		got.TransactionHash != nil || got.RPID != "" || got.Protocol != ceremony.UAF11 || got.Timeout != 0 {
		t.Errorf("registration: %+v", got)
	}
	for name, bad := range map[string]string{
		"no text": "", "the other operation": `[{` + header("Reg", "") + `,"challenge":"AQIDBAUGBwg"}]`,
		"a challenge too short": `[{` + header("Auth", "") + `,"challenge":"AQIDBA"}]`,
	} {
		got, err := ceremony.FromAuthenticationRequest(ceremony.UAF11, bad)
		if err == nil {
			t.Errorf("%s: %+v", name, got)
		} else if fault.From(err).Key != fault.ServerInternal {
			t.Errorf("%s: %v is a row already", name, err)
		}
	}
}
