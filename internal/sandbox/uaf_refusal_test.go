package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

func flipLast(b []byte) []byte {
	b = slices.Clone(b)
	b[len(b)-1] ^= 1
	return b
}

// with returns a function that replaces a value.
func with(value ...byte) func([]byte) []byte {
	return func([]byte) []byte { return value }
}

// at returns a function that changes one byte.
func at(i int, value byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b = slices.Clone(b)
		b[i] = value
		return b
	}
}

// Tampering that both registration and authentication refuse.
var uafTamperings = map[string]struct {
	how  softuaf.Tamper
	code uaf.Status
}{
	"another appID":            {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.AppID = "https://evil.example" }}, 1498},
	"a facet not trusted":      {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.FacetID = "https://evil.example" }}, 1498},
	"another challenge":        {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.Challenge = strings.Repeat("A", 43) }}, 1491},
	"no challenge":             {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.Challenge = "" }}, 1498},
	"no serverData":            {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.ServerData = "" }}, 1491},
	"serverData of somebody":   {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.ServerData = strings.Repeat("A", 60) }}, 1491},
	"another version":          {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.Version.Minor = 0 }}, 1498},
	"another operation":        {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.Operation = uaf.OperationDeregistration }}, 1498},
	"no assertion":             {softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions = []uaf.Assertion{} }}, 1498},
	"another scheme":           {softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions[0].Scheme = "V2" }}, 1498},
	"params of another time":   {softuaf.Tamper{FCHash: func(text string) []byte { return uaf.FinalChallengeHash(text + "x") }}, 1498},
	"an unknown model":         {softuaf.Tamper{Signed: child(uaf.TagAAID, with([]byte("0000#0000")...))}, 1480},
	"an old authenticator":     {softuaf.Tamper{Signed: child(uaf.TagAssertionInfo, at(0, 0))}, 1492},
	"an unlisted algorithm":    {softuaf.Tamper{Signed: child(uaf.TagAssertionInfo, at(3, 9))}, 1495},
	"a cut assertion":          {softuaf.Tamper{Encoded: func(b []byte) []byte { return b[:len(b)-1] }}, 1498},
	"an unknown critical part": {softuaf.Tamper{Signed: unknownChild(0x2103)}, 1498},
	"bytes after an assertion": {softuaf.Tamper{Encoded: func(b []byte) []byte { return append(b, 0) }}, 1498},
}

// unknownChild returns a function that adds an element with an unknown tag.
func unknownChild(tag uaf.Tag) func(*uaf.Element) {
	return func(e *uaf.Element) {
		e.Children = append(e.Children, uaf.Element{Tag: tag, Value: []byte("index")})
	}
}

// A user verification index, tag 0x0103, is ignored in registrations and sign-ins.
func TestUnknownUAFElementsAreIgnored(t *testing.T) {
	device := phone(t)
	p := start(t, withUAF(t, statement(t, device, nil)))
	device.Options.Tamper = softuaf.Tamper{Signed: unknownChild(0x0103), Assertion: unknownChild(0x0103)}
	p.registerUAF("alice@sandbox", device)
	p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")).uaf(t, http.StatusOK, uaf.StatusOK)
}

// Empty lists in the protocol's dictionaries are refused.
func TestEmptyUAFListsAreRefused(t *testing.T) {
	device := phone(t)
	p := start(t, withUAF(t, statement(t, device, nil)))
	for old, put := range map[string]string{
		`"op"`: `"exts":[],"op"`, `"assertionScheme"`: `"exts":[],"assertionScheme"`,
	} {
		response := strings.Replace(p.enrol("alice@sandbox", device), old, put, 1)
		p.finishUAF("alice@sandbox", response).refusedUAF(t, uaf.StatusUnacceptableContent)
		device.Keys = nil
	}
	p.registerUAF("alice@sandbox", device)
	for old, put := range map[string]string{`"op"`: `"exts":[],"op"`, `"assertionScheme"`: `"exts":[],"assertionScheme"`} {
		response := strings.Replace(p.sign("alice@sandbox", device, ""), old, put, 1)
		p.signInUAF("alice@sandbox", response).refusedUAF(t, uaf.StatusUnacceptableContent)
	}
}

func TestBrokenUAFRegistrationsAreRefused(t *testing.T) {
	device := phone(t)
	p := start(t, withUAF(t, statement(t, device, nil)))
	for name, one := range uafTamperings {
		t.Run(name, func(t *testing.T) {
			response := tampered(device, one.how, func() string { return p.enrol("alice@sandbox", device) })
			p.finishUAF("alice@sandbox", response).refusedUAF(t, one.code)
		})
		device.Keys = nil
	}
	for name, one := range map[string]struct {
		how  softuaf.Tamper
		code uaf.Status
	}{
		"a broken signature":      {softuaf.Tamper{Signature: flipLast}, 1496},
		"an unlisted key format":  {softuaf.Tamper{Signed: child(uaf.TagAssertionInfo, at(5, 2))}, 1494},
		"a key that is no point":  {softuaf.Tamper{Signed: child(uaf.TagPublicKey, at(0, 9))}, 1494},
		"ECDAA":                   {softuaf.Tamper{Assertion: func(e *uaf.Element) { e.Children[1].Tag = uaf.TagAttestationECDAA }}, 1496},
		"an unknown extension":    {softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions[0].Extensions = failing }}, 1498},
		"too many registrations":  {softuaf.Tamper{Signed: child(uaf.TagCounters, with(0, 0, 0, 0, 255, 255, 255, 255))}, 1498},
		"a mode that is not ours": {softuaf.Tamper{Signed: child(uaf.TagAssertionInfo, at(2, 2))}, 1498},
	} {
		t.Run(name, func(t *testing.T) {
			response := tampered(device, one.how, func() string { return p.enrol("alice@sandbox", device) })
			p.finishUAF("alice@sandbox", response).refusedUAF(t, one.code)
		})
		device.Keys = nil
	}
	if n := len(p.registrations("alice@sandbox")); n != 0 {
		t.Errorf("%d registrations came of it", n)
	}
}

var failing = []uaf.Extension{{ID: "unknown", Data: "x", FailIfUnknown: true}}

func TestUAFAttestationNeedsItsRoot(t *testing.T) {
	full := func(o *softuaf.Options) { o.Attestation = uaf.TagAttestationFull }
	trusted, forged := phone(t, full), phone(t, full)
	p := start(t, withUAF(t, statement(t, trusted, nil)))
	p.finishUAF("alice@sandbox", p.enrol("alice@sandbox", forged)).refusedUAF(t, uaf.StatusUnacceptableAttestation)
	p.finishUAF("alice@sandbox", p.enrol("alice@sandbox", phone(t))).refusedUAF(t, uaf.StatusUnacceptableAttestation)
	p.registerUAF("alice@sandbox", trusted)
}

func TestBrokenUAFSignInsAreRefused(t *testing.T) {
	device := phone(t)
	p := start(t, withUAF(t, statement(t, device, nil)))
	p.registerUAF("alice@sandbox", device)
	try := func(name string, how softuaf.Tamper, code uaf.Status) {
		t.Run(name, func(t *testing.T) {
			p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")).uaf(t, http.StatusOK, uaf.StatusOK)
			response := tampered(device, how, func() string { return p.sign("alice@sandbox", device, "") })
			p.signInUAF("alice@sandbox", response).refusedUAF(t, code)
		})
	}
	for name, one := range uafTamperings {
		try(name, one.how, one.code)
	}
	try("a broken signature", softuaf.Tamper{Signature: flipLast}, 1498)
	try("an unknown key", softuaf.Tamper{Signed: child(uaf.TagKeyID, at(0, 0))}, 1481)
	try("a counter that stands still", softuaf.Tamper{Signed: child(uaf.TagCounters, with(1, 0, 0, 0))}, 1498)
	try("a counter that starts again", softuaf.Tamper{Signed: child(uaf.TagCounters, with(0, 0, 0, 0))}, 1498)
	try("a transaction nobody asked for", softuaf.Tamper{Signed: func(e *uaf.Element) {
		child(uaf.TagAssertionInfo, at(2, 2))(e)
		child(uaf.TagTransactionContentHash, with(make([]byte, 32)...))(e)
	}}, 1498)
}

func TestUnreadableUAFResponses(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	response := p.enrol("alice@sandbox", device)
	for name, text := range map[string]string{
		"no JSON": "x", "cut": response[:len(response)/2], "trailing": response + "[]", "twice the header": strings.Replace(response, `{"header"`, `{"header":{},"header"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			a := p.finishUAF("alice@sandbox", text)
			a.invalid(t, "registrationResponse")
			a.refusedUAF(t, uaf.StatusBadRequest)
		})
	}
	for name, text := range map[string]string{
		"an object": "{}", "nothing": "[]", "no dictionary": "[1]", "twice one version": "[" + response[1:len(response)-1] + "," + response[1:],
		"an unknown version": strings.Replace(response, `"minor":1`, `"minor":2`, 1), "no fcParams": strings.Replace(response, `"fcParams"`, `"params"`, 1),
		"a null": strings.Replace(response, `"op":"Reg"`, `"op":null`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if text == response {
				t.Fatal("nothing was broken")
			}
			p.finishUAF("alice@sandbox", text).refusedUAF(t, uaf.StatusUnacceptableContent)
		})
	}
	p.finishUAF("alice@sandbox", response).uaf(t, http.StatusOK, uaf.StatusOK) // none of the above has spent the challenge

	response = p.sign("alice@sandbox", device, "")
	a := p.signInUAF("alice@sandbox", response[:len(response)-1])
	a.invalid(t, "credentials.fidoAuthenticator.authenticationResponse")
	a.refusedUAF(t, uaf.StatusBadRequest)
	a = p.confirmFor("alice@sandbox", "[", "42b3a6fe-143e-403c-ac3f-dec6345b6822")
	a.invalid(t, "data.fido.authenticationResponse")
	a.refusedUAF(t, uaf.StatusBadRequest)
	p.signInUAF("alice@sandbox", response).uaf(t, http.StatusOK, uaf.StatusOK)
}

// A challenge is answered once, by its person, within three minutes.
func TestUAFChallengeIsSpentOnce(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	response := p.enrol("alice@sandbox", device)
	p.finishUAF("bob@sandbox", response).refusedUAF(t, uaf.StatusRequestInvalid)
	p.finishUAF("alice@sandbox", response).uaf(t, http.StatusOK, uaf.StatusOK)
	p.finishUAF("alice@sandbox", response).refusedUAF(t, uaf.StatusRequestInvalid)
	late := p.enrol("alice@sandbox", demoPhone(t))
	p.advance("180s")
	p.finishUAF("alice@sandbox", late).refusedUAF(t, uaf.StatusRequestInvalid)

	p.registerUAF("bob@sandbox", demoPhone(t))
	response = p.sign("alice@sandbox", device, "")
	p.signInUAF("bob@sandbox", response).refusedUAF(t, uaf.StatusRequestInvalid)
	p.signInUAF("alice@sandbox", response).uaf(t, http.StatusOK, uaf.StatusOK)
	p.signInUAF("alice@sandbox", response).refusedUAF(t, uaf.StatusRequestInvalid)
	response = p.sign("alice@sandbox", device, "")
	p.advance("180s")
	p.signInUAF("alice@sandbox", response).refusedUAF(t, uaf.StatusRequestInvalid)

	// A refusal spends the challenge.
	broken := tampered(device, softuaf.Tamper{Signature: flipLast}, func() string { return p.sign("alice@sandbox", device, "") })
	p.signInUAF("alice@sandbox", broken).refusedUAF(t, uaf.StatusUnacceptableContent)
	p.signInUAF("alice@sandbox", broken).refusedUAF(t, uaf.StatusRequestInvalid)

	p.manage(http.MethodPost, "reset", nil)
	p.registerUAF("alice@sandbox", device) // the same key is free again
}

// The serverData of one request does not fit the challenge of another.
func TestUAFServerDataCoversTheChallenge(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	request, err := uaf.ParseRegistrationRequest(p.uafRequest("alice@sandbox", "registration", nil))
	if err != nil {
		t.Fatal(err)
	}
	swapped := softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.ServerData = request.Header.ServerData }}
	response := tampered(device, swapped, func() string { return p.enrol("alice@sandbox", device) })
	p.finishUAF("alice@sandbox", response).refusedUAF(t, uaf.StatusRequestInvalid)
}

// A key is registered once, for one person.
func TestUAFKeyIsRegisteredOnce(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	id := device.Keys[0].ID
	device.Keys = nil // the authenticator has forgotten the key, and makes the same key id again
	again := softuaf.Tamper{Signed: child(uaf.TagKeyID, with(id...))}
	for user, code := range map[string]uaf.Status{"alice@sandbox": 1492, "bob@sandbox": 1492} {
		response := tampered(device, again, func() string { return p.enrol(user, device) })
		p.finishUAF(user, response).refusedUAF(t, code)
	}
}

// A UAF call that is refused for reasons outside UAF has a uafStatusCode too.
func TestUAFStatusOfOtherRefusals(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	response := p.sign("alice@sandbox", device, "")
	calls := map[string]object{
		"generate-fido-registration-request":   {"fidoProtocol": "UAF11"},
		"register-fido-device":                 {"fidoProtocol": "UAF11", "registrationResponse": "[]"},
		"generate-fido-authentication-request": {"fidoProtocol": "UAF11"},
		"login":                                {"objectType": "LoginInput", "credentials": object{"fidoAuthenticator": object{"authenticationResponse": response}}},
		"transactions/validate":                {"objectType": "TransactionValidationInput", "data": object{"fido": object{"authenticationResponse": response, "requestID": "42b3a6fe-143e-403c-ac3f-dec6345b6822"}}},
	}
	for path, body := range calls {
		t.Run(path, func(t *testing.T) {
			for user, want := range map[string]struct {
				status  int
				message string
				code    uaf.Status
			}{
				"nobody@sandbox": {http.StatusNotFound, "User account not found", uaf.StatusNotFound},
				"dave@sandbox":   {http.StatusConflict, "User is disabled", uaf.StatusForbidden},
				"erin@sandbox":   {http.StatusConflict, "User is locked", uaf.StatusForbidden},
			} {
				if strings.HasPrefix(path, "generate-") && want.status == http.StatusConflict {
					want.status = http.StatusBadRequest
				}
				a := p.post("/users/"+user+"/"+path, body)
				a.refused(t, want.status, want.message)
				a.uaf(t, want.status, want.code)
			}
		})
	}
	a := p.post("/users/bob@sandbox/generate-fido-authentication-request", object{"fidoProtocol": "UAF11"})
	a.refused(t, http.StatusBadRequest, "No authenticators available")
	a.uaf(t, http.StatusBadRequest, uaf.StatusNotFound)
	a = p.post("/users/alice@sandbox/register-fido-device", object{"fidoProtocol": "UAF11"})
	a.invalid(t, "registrationResponse")
	a.uaf(t, http.StatusBadRequest, uaf.StatusBadRequest)
	a = p.post("/users/dave@sandbox/generate-fido-registration-request", object{"fidoProtocol": "FIDO2"})
	if _, there := a.body["uafStatusCode"]; there {
		t.Errorf("a refusal of FIDO2 has a uafStatusCode: %s", a.text)
	}
	p.manage(http.MethodPut, "users/alice@sandbox", object{"status": "locked"})
	p.signInUAF("alice@sandbox", response).uaf(t, http.StatusConflict, uaf.StatusForbidden)
}
