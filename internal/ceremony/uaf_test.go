package ceremony_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

const (
	facet = "android:apk-key-hash:ZmFjZXQ"
	appID = "https://example.org/uaf/facets"
)

// uafMessage is a response of UAF 1.1 in the parts that tests change. What is
// in it is JSON, so that anything can be.
type uafMessage struct {
	operation, headerAppID, serverData      string
	appID, challenge, facetID, binding      string
	assertion, scheme, version, extraParams string
}

func honestUAF(operation string) uafMessage {
	return uafMessage{
		operation: `"` + operation + `"`, headerAppID: `"` + appID + `"`, serverData: `"opaque"`,
		appID: `"` + appID + `"`, challenge: `"` + encode(challenge("uaf")) + `"`, facetID: `"` + facet + `"`, binding: `{}`,
		assertion: `"AT4"`, scheme: `"UAFV1TLV"`, version: `{"major":1,"minor":1}`,
	}
}

func (m uafMessage) params() string {
	return fmt.Sprintf(`{"appID":%s,"challenge":%s,"facetID":%s,"channelBinding":%s%s}`,
		m.appID, m.challenge, m.facetID, m.binding, m.extraParams)
}

func (m uafMessage) dictionary() string {
	return fmt.Sprintf(`{"header":{"upv":%s,"op":%s,"appID":%s,"serverData":%s},"fcParams":%q,"assertions":[{"assertionScheme":%s,"assertion":%s}]}`,
		m.version, m.operation, m.headerAppID, m.serverData, encode([]byte(m.params())), m.scheme, m.assertion)
}

func (m uafMessage) String() string { return "[" + m.dictionary() + "]" }

func expectedUAF(kind ceremony.Kind) (ceremony.Expected, ceremony.Presented) {
	return ceremony.Expected{Kind: kind, Protocol: ceremony.UAF11, User: user, Challenge: challenge("uaf"), AppID: appID},
		ceremony.Presented{Kind: kind, Protocol: ceremony.UAF11, User: user}
}

func judgeUAF(kind ceremony.Kind, text string) error {
	read := ceremony.FromAuthenticationResponse
	if kind == ceremony.Registration {
		read = ceremony.FromRegistrationResponse
	}
	r, err := read(ceremony.UAF11, text)
	if err != nil {
		return err
	}
	exp, got := expectedUAF(kind)
	return ceremony.Check(exp, got, r, trust)
}

func TestUAFHonest(t *testing.T) {
	t.Parallel()
	for kind, operation := range map[ceremony.Kind]string{ceremony.Registration: "Reg", ceremony.SignIn: "Auth", ceremony.Transaction: "Auth"} {
		wantKey(t, string(kind), judgeUAF(kind, honestUAF(operation).String()), "")
	}
	r, err := ceremony.FromRegistrationResponse(ceremony.UAF11, honestUAF("Reg").String())
	if err != nil {
		t.Fatal(err)
	}
	if r.Protocol != ceremony.UAF11 || !bytes.Equal(r.Challenge, challenge("uaf")) {
		t.Errorf("%s, challenge %x", r.Protocol, r.Challenge)
	}
}

func TestUAFCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*uafMessage)
		want   fault.Key
		status int
	}{
		"no appID in the header":      {func(m *uafMessage) { m.headerAppID = `""` }, "", 0},
		"the other operation":         {func(m *uafMessage) { m.operation = `"Auth"` }, fault.CeremonyType, 1491},
		"a deregistration":            {func(m *uafMessage) { m.operation = `"Dereg"` }, fault.CeremonyType, 1491},
		"another challenge":           {func(m *uafMessage) { m.challenge = `"AAAAAAAAAAA"` }, fault.CeremonyMismatch, 1491},
		"an untrusted facet":          {func(m *uafMessage) { m.facetID = `"android:apk-key-hash:ZXZpbA"` }, fault.CeremonyOrigin, 1498},
		"a facet in upper case":       {func(m *uafMessage) { m.facetID = strings.ToUpper(m.facetID) }, fault.CeremonyOrigin, 1498},
		"an origin that is no facet":  {func(m *uafMessage) { m.facetID = `"` + origin + `"` }, fault.CeremonyOrigin, 1498},
		"no facet":                    {func(m *uafMessage) { m.facetID = `""` }, fault.CeremonyOrigin, 1498},
		"another appID":               {func(m *uafMessage) { m.appID = `"https://evil.example/facets"` }, fault.CeremonyOrigin, 1498},
		"another appID in the header": {func(m *uafMessage) { m.headerAppID = `"https://evil.example/facets"` }, fault.CeremonyOrigin, 1498},
		"no appID":                    {func(m *uafMessage) { m.appID = `""` }, fault.CeremonyOrigin, 1498},
		"the facet for appID":         {func(m *uafMessage) { m.appID = m.facetID }, fault.CeremonyOrigin, 1498},
	} {
		m := honestUAF("Reg")
		c.change(&m)
		err := judgeUAF(ceremony.Registration, m.String())
		wantKey(t, name, err, c.want)
		if err != nil && fault.From(err).UAFStatusCode != c.status {
			t.Errorf("%s: status %d, want %d", name, fault.From(err).UAFStatusCode, c.status)
		}
	}
}

// An empty appID in the request makes the facet the appID.
func TestUAFEmptyAppID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*uafMessage)
		want   fault.Key
	}{
		"the facet":          {func(m *uafMessage) { m.appID, m.headerAppID = m.facetID, `""` }, ""},
		"the facet twice":    {func(m *uafMessage) { m.appID, m.headerAppID = m.facetID, m.facetID }, ""},
		"an appID all alike": {func(*uafMessage) {}, fault.CeremonyOrigin},
		"nothing":            {func(m *uafMessage) { m.appID, m.headerAppID = `""`, `""` }, fault.CeremonyOrigin},
	} {
		m := honestUAF("Auth")
		c.change(&m)
		r, err := ceremony.FromAuthenticationResponse(ceremony.UAF11, m.String())
		if err != nil {
			t.Fatal(err)
		}
		exp, got := expectedUAF(ceremony.SignIn)
		exp.AppID = ""
		wantKey(t, name, ceremony.Check(exp, got, r, trust), c.want)
	}
}

func TestUAFCheckOfTheCeremony(t *testing.T) {
	t.Parallel()
	r, err := ceremony.FromAuthenticationResponse(ceremony.UAF11, honestUAF("Auth").String())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*ceremony.Expected, *ceremony.Presented){
		"another user":             func(_ *ceremony.Expected, g *ceremony.Presented) { g.User = "bob@sandbox" },
		"a transaction's ceremony": func(e *ceremony.Expected, _ *ceremony.Presented) { e.Kind = ceremony.Transaction },
		"a registration's":         func(e *ceremony.Expected, _ *ceremony.Presented) { e.Kind = ceremony.Registration },
		"a ceremony of FIDO2": func(e *ceremony.Expected, _ *ceremony.Presented) {
			e.Protocol, e.AppID, e.RPID = ceremony.FIDO2, "", rpID
		},
	} {
		exp, got := expectedUAF(ceremony.SignIn)
		change(&exp, &got)
		err := ceremony.Check(exp, got, r, trust)
		wantKey(t, name, err, fault.CeremonyMismatch)
		if code := fault.From(err).UAFStatusCode; code != 1491 {
			t.Errorf("%s: status %d", name, code)
		}
	}
}

func TestUAFMalformed(t *testing.T) {
	t.Parallel()
	honest := honestUAF("Reg")
	changed := func(change func(*uafMessage)) string {
		m := honest
		change(&m)
		return m.String()
	}
	raw := func(fcParams string) string {
		return strings.Replace(honest.String(), encode([]byte(honest.params())), fcParams, 1)
	}
	long := base64.RawURLEncoding.EncodeToString(make([]byte, 4097))
	for name, text := range map[string]string{
		"nothing": "", "null": "null", "an object": honest.dictionary(), "an empty array": "[]", "nulls": "[null]", "text": `["x"]`,
		"more after it": honest.String() + "x", "cut": strings.TrimSuffix(honest.String(), "]"), "a mark": "\ufeff" + honest.String(),
		"two of one version":      "[" + honest.dictionary() + "," + honest.dictionary() + "]",
		"another version":         changed(func(m *uafMessage) { m.version = `{"major":1,"minor":0}` }),
		"no version":              changed(func(m *uafMessage) { m.version = `null` }),
		"a version of text":       changed(func(m *uafMessage) { m.version = `"1.1"` }),
		"no operation":            changed(func(m *uafMessage) { m.operation = `null` }),
		"an operation of number":  changed(func(m *uafMessage) { m.operation = `1` }),
		"serverData of number":    changed(func(m *uafMessage) { m.serverData = `1` }),
		"serverData too long":     changed(func(m *uafMessage) { m.serverData = `"` + strings.Repeat("a", 1537) + `"` }),
		"header appID too long":   changed(func(m *uafMessage) { m.headerAppID = `"` + strings.Repeat("a", 513) + `"` }),
		"appID null":              changed(func(m *uafMessage) { m.appID = `null` }),
		"appID number":            changed(func(m *uafMessage) { m.appID = `1` }),
		"facet null":              changed(func(m *uafMessage) { m.facetID = `null` }),
		"challenge null":          changed(func(m *uafMessage) { m.challenge = `null` }),
		"challenge empty":         changed(func(m *uafMessage) { m.challenge = `""` }),
		"challenge padded":        changed(func(m *uafMessage) { m.challenge = `"AAAAAAAAAAA="` }),
		"binding null":            changed(func(m *uafMessage) { m.binding = `null` }),
		"binding text":            changed(func(m *uafMessage) { m.binding = `"x"` }),
		"fcParams twice the same": changed(func(m *uafMessage) { m.extraParams = `,"appID":"x"` }),
		"no fcParams":             strings.Replace(honest.String(), `"fcParams"`, `"x"`, 1),
		"fcParams empty":          raw(""),
		"fcParams as JSON":        raw("{}"),
		"fcParams padded":         raw(encode([]byte(honest.params())) + "="),
		"fcParams of standard":    raw("+/+/"),
		"fcParams of an array":    raw(encode([]byte("[]"))),
		"fcParams of null":        raw(encode([]byte("null"))),
		"fcParams and more":       raw(encode([]byte(honest.params() + "{}"))),
		"fcParams with a mark":    raw(encode([]byte("\ufeff" + honest.params()))),
		"fcParams cut":            raw(encode([]byte(honest.params()[1:]))),
		"fcParams not UTF-8":      raw(encode([]byte(strings.Replace(honest.params(), appID, "\xff", 1)))),
		"no binding":              raw(encode([]byte(strings.Replace(honest.params(), "channelBinding", "x", 1)))),
		"no facet":                raw(encode([]byte(strings.Replace(honest.params(), "facetID", "x", 1)))),
		"no assertions":           strings.Replace(honest.String(), `"assertions"`, `"x"`, 1),
		"assertions empty":        strings.Replace(honest.String(), `[{"assertionScheme":"UAFV1TLV","assertion":"AT4"}]`, `[]`, 1),
		"assertion null":          changed(func(m *uafMessage) { m.assertion = `null` }),
		"assertion empty":         changed(func(m *uafMessage) { m.assertion = `""` }),
		"assertion padded":        changed(func(m *uafMessage) { m.assertion = `"AT4="` }),
		"assertion too long":      changed(func(m *uafMessage) { m.assertion = `"` + long + `"` }),
		"scheme null":             changed(func(m *uafMessage) { m.scheme = `null` }),
		"two headers":             strings.Replace(honest.String(), `"header":`, `"header":{},"header":`, 1),
		"depth":                   strings.Repeat("[", 50_000),
	} {
		for _, kind := range []ceremony.Kind{ceremony.Registration, ceremony.SignIn} {
			err := judgeUAF(kind, text)
			wantKey(t, name, err, fault.CeremonyMalformed)
			if code := fault.From(err).UAFStatusCode; code != 1400 {
				t.Errorf("%s: status %d, want 1400", name, code)
			}
		}
	}
}

// Version 1.1 is taken wherever it stands; what else is there is not looked at.
func TestUAFVersions(t *testing.T) {
	t.Parallel()
	other := `{"header":{"upv":{"major":1,"minor":0}}}`
	honest := honestUAF("Reg").dictionary()
	wantKey(t, "first", judgeUAF(ceremony.Registration, "["+honest+","+other+"]"), "")
	wantKey(t, "last", judgeUAF(ceremony.Registration, "["+other+","+honest+"]"), "")
	wantKey(t, "two of another", judgeUAF(ceremony.Registration, "["+other+","+other+","+honest+"]"), fault.CeremonyMalformed)
}

func TestUAFRequests(t *testing.T) {
	t.Parallel()
	header := func(op, appID string) string {
		return `"header":{"upv":{"major":1,"minor":1},"op":"` + op + `","appID":"` + appID + `","serverData":"x","exts":[]}`
	}
	got, err := ceremony.FromRegistrationRequest(ceremony.UAF11,
		`[{"header":{"upv":{"major":1,"minor":0},"op":"Reg"},"challenge":"AA"},{`+header("Reg", appID)+`,"challenge":"AQIDBAUGBwg","username":"alice","policy":{}}]`)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Challenge, []byte{1, 2, 3, 4, 5, 6, 7, 8}) || got.AppID != appID || got.AllowCredentials != -1 || got.TransactionHash != nil || got.RPID != "" {
		t.Errorf("registration: %+v", got)
	}
	got, err = ceremony.FromAuthenticationRequest(ceremony.UAF11, `[{`+header("Auth", "")+`,"challenge":"AQIDBAUGBwg","transaction":[`+
		`{"contentType":"text/plain","content":"UGF5IDEwIEVVUg"},{"contentType":"image/png","content":"iVBORw0"}],"policy":{}}]`)
	if err != nil {
		t.Fatal(err)
	}
	text, png := sha256.Sum256([]byte("Pay 10 EUR")), sha256.Sum256([]byte("\x89PNG\r"))
	if !bytes.Equal(got.TransactionHash, slices.Concat(text[:], png[:])) || got.AppID != "" {
		t.Errorf("transaction: %x, appID %q", got.TransactionHash, got.AppID)
	}
	for name, bad := range map[string]string{
		"an object": `{` + header("Auth", "") + `,"challenge":"AQIDBAUGBwg"}`, "the other operation": `[{` + header("Reg", "") + `,"challenge":"AQIDBAUGBwg"}]`,
		"no challenge": `[{` + header("Auth", "") + `}]`, "no header": `[{"challenge":"AQIDBAUGBwg"}]`, "nothing": `[]`,
		"content that is none": `[{` + header("Auth", "") + `,"challenge":"AQIDBAUGBwg","transaction":[{"content":"*"}]}]`,
	} {
		if got, err := ceremony.FromAuthenticationRequest(ceremony.UAF11, bad); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
