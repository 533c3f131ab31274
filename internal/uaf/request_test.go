package uaf_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/uaf"
	"countersign/internal/uaf/uaftest"
)

var uaftestDefaults = uaftest.Options{}

func TestRequestMembers(t *testing.T) {
	critical := []any{object{"id": "x", "data": "", "fail_if_unknown": true}}
	cases := []struct {
		path  string
		value any
	}{
		{"header", absent}, {"header", nil}, {"header/op", "Dereg"}, {"header/upv/minor", 0},
		{"header/appID", 1}, {"header/appID", strings.Repeat("a", 513)}, {"header/serverData", ""},
		{"header/exts", critical},
		{"challenge", absent}, {"challenge", nil}, {"challenge", ""}, {"challenge", 1}, {"challenge", "AAAA"},
		{"challenge", "AAAAAAAAAAA="}, {"challenge", strings.Repeat("AAAA", 22)},
		{"policy", absent}, {"policy", nil}, {"policy", []any{}}, {"policy", object{}}, {"policy/accepted", nil},
		{"policy/accepted", []any{}}, {"policy/accepted", []any{[]any{}}}, {"policy/accepted", []any{nil}},
		{"policy/disallowed", nil}, {"policy/disallowed", object{}},
	}
	_, server := registered(t, uaftest.Options{})
	registration, authentication := server.registrationRequest(), server.authenticationRequest()
	for _, c := range cases {
		_, first := uaf.ParseRegistrationRequest(changed(t, registration, set(c.path, c.value)))
		_, second := uaf.ParseAuthenticationRequest(changed(t, authentication, set(c.path, c.value)))
		if uaf.StatusOf(first) != content || uaf.StatusOf(second) != content {
			t.Errorf("%s = %.40v: %v, %v", c.path, c.value, first, second)
		}
	}
	for _, username := range []any{absent, nil, "", 1, strings.Repeat("ü", 129)} {
		_, err := uaf.ParseRegistrationRequest(changed(t, registration, set("username", username)))
		wantStatus(t, err, content)
	}
	_, err := uaf.ParseRegistrationRequest(changed(t, registration, set("username", strings.Repeat("ü", 128))))
	wantStatus(t, err, uaf.StatusOK)
	_, err = uaf.ParseRegistrationRequest(authentication)
	wantStatus(t, err, content)
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	policy := uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{testAAID}}}}}
	challenge := strings.Repeat("A", 43)
	registration := func(edit func(*uaf.RegistrationRequest)) error {
		request := uaf.RegistrationRequest{
			Header:    uaf.NewHeader(uaf.OperationRegistration, testAppID, "data"),
			Challenge: challenge, Username: "alice", Policy: policy,
		}
		edit(&request)
		_, err := request.Encode()
		return err
	}
	wantStatus(t, registration(func(*uaf.RegistrationRequest) {}), uaf.StatusOK)
	for name, edit := range map[string]func(*uaf.RegistrationRequest){
		"a long username":      func(r *uaf.RegistrationRequest) { r.Username = strings.Repeat("a", 129) },
		"a long appID":         func(r *uaf.RegistrationRequest) { r.Header.AppID = strings.Repeat("a", 513) },
		"long serverData":      func(r *uaf.RegistrationRequest) { r.Header.ServerData = strings.Repeat("a", 1537) },
		"another operation":    func(r *uaf.RegistrationRequest) { r.Header.Operation = uaf.OperationAuthentication },
		"another version":      func(r *uaf.RegistrationRequest) { r.Header.Version.Minor = 0 },
		"no challenge":         func(r *uaf.RegistrationRequest) { r.Challenge = "" },
		"no policy":            func(r *uaf.RegistrationRequest) { r.Policy = uaf.Policy{} },
		"criteria of nothing":  func(r *uaf.RegistrationRequest) { r.Policy.Accepted = [][]uaf.MatchCriteria{{{}}} },
		"an extension to know": func(r *uaf.RegistrationRequest) { r.Header.Extensions = []uaf.Extension{{FailIfUnknown: true}} },
	} {
		t.Run(name, func(t *testing.T) { wantStatus(t, registration(edit), content) })
	}
	long := uaf.Transaction{ContentType: uaf.ContentPlainText, Content: make([]byte, 201)}
	_, err := uaf.AuthenticationRequest{
		Header:    uaf.NewHeader(uaf.OperationAuthentication, testAppID, ""),
		Challenge: challenge, Policy: policy, Transactions: []uaf.Transaction{long},
	}.Encode()
	wantStatus(t, err, content)
}

func TestChallengeSizes(t *testing.T) {
	for size, want := range map[int]uaf.Status{0: content, 7: content, 8: uaf.StatusOK, 64: uaf.StatusOK, 65: content} {
		_, err := uaf.EncodeChallenge(make([]byte, size))
		wantStatus(t, err, want)
	}
}

// A request is read as it was written, whatever is in it.
func TestRequestsRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		challenge, err := uaf.EncodeChallenge(rapid.SliceOfN(rapid.Byte(), 8, 64).Draw(r, "challenge"))
		if err != nil {
			r.Fatal(err)
		}
		request := uaf.RegistrationRequest{
			Header:    uaf.NewHeader(uaf.OperationRegistration, rapid.StringN(0, 512, -1).Draw(r, "appID"), rapid.StringN(0, 1536, -1).Draw(r, "serverData")),
			Challenge: challenge,
			Username:  rapid.StringN(1, 128, -1).Draw(r, "username"),
			Policy:    uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{testAAID}, AttachmentHint: rapid.Uint32().Draw(r, "hint")}}}},
		}
		message, err := request.Encode()
		if err != nil {
			r.Fatal(err)
		}
		parsed, err := uaf.ParseRegistrationRequest(message)
		if err != nil {
			r.Fatal(err)
		}
		again, err := parsed.Encode()
		if err != nil || again != message {
			r.Fatalf("%v:\n%s\n%s", err, message, again)
		}
	})
}

func TestTransactions(t *testing.T) {
	encode := base64.RawURLEncoding.EncodeToString
	plain := func(text string) object { return object{"contentType": "text/plain", "content": encode([]byte(text))} }
	shown, err := uaf.NewPNGTransaction(picture(t, true))
	if err != nil {
		t.Fatal(err)
	}
	if got := shown.Display.Palette; len(got) != 2 || got[1] != (uaf.RGB{R: 1, G: 2, B: 3}) || shown.Display.ColorType != 3 {
		t.Errorf("display %+v", shown.Display)
	}
	display := object{"width": 3, "height": 2, "bitDepth": 1, "colorType": 3, "compression": 0, "filter": 0, "interlace": 0}
	image := func(display any, data []byte) object {
		out := object{"contentType": "image/png", "content": encode(data), "tcDisplayPNGCharacteristics": display}
		if display == absent {
			delete(out, "tcDisplayPNGCharacteristics")
		}
		return out
	}
	wider := object{"width": 4, "height": 2, "bitDepth": 1, "colorType": 3, "compression": 0, "filter": 0, "interlace": 0}
	cases := []struct {
		name        string
		transaction any
		want        uaf.Status
	}{
		{"text", plain("Pay?"), uaf.StatusOK},
		{"text of 200 characters", plain(strings.Repeat("a", 200)), uaf.StatusOK},
		{"text of 201 characters", plain(strings.Repeat("a", 201)), content},
		{"no text", plain(""), content},
		{"text that is not ASCII", plain("Zahlen: 100 €"), content},
		{"text with padding", object{"contentType": "text/plain", "content": "YQ=="}, content},
		{"another type", object{"contentType": "text/html", "content": "YWFh"}, content},
		{"no type", object{"content": "YWFh"}, content},
		{"no content", object{"contentType": "text/plain"}, content},
		{"null", nil, content},
		{"a picture", image(display, shown.Content), uaf.StatusOK},
		{"a picture without characteristics", image(absent, shown.Content), content},
		{"a picture with others", image(wider, shown.Content), content},
		{"a picture with half of them", image(object{"width": 3}, shown.Content), content},
		{"a picture that is none", image(display, []byte("GIF89a")), content},
		{"a picture cut off", image(display, shown.Content[:20]), content},
	}
	_, server := registered(t, uaftest.Options{})
	request := server.authenticationRequest()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			message := changed(t, request, set("transaction", []any{c.transaction}))
			_, err := uaf.ParseAuthenticationRequest(message)
			wantStatus(t, err, c.want)
		})
	}
	for _, list := range []any{nil, object{}, "x"} {
		_, err := uaf.ParseAuthenticationRequest(changed(t, request, set("transaction", list)))
		wantStatus(t, err, content)
	}
	_, err = uaf.ParseAuthenticationRequest(changed(t, request, set("transaction", bytesOf(plain("x"), 33))))
	wantStatus(t, err, content)
	for _, broken := range [][]byte{nil, []byte("GIF89a"), shown.Content[:30], shown.Content[:40]} {
		if _, err := uaf.NewPNGTransaction(broken); err == nil {
			t.Errorf("a picture was made of %d bytes", len(broken))
		}
	}
}

func bytesOf(one any, times int) []any {
	var out []any
	for range times {
		out = append(out, one)
	}
	return out
}

func TestReadRequest(t *testing.T) {
	_, server := registered(t, uaftest.Options{})
	pay := text(t, "Pay 100 EUR to Bob?")
	cases := []struct {
		name      string
		operation uaf.Operation
		message   string
		want      uaf.Status
	}{
		{"registration", uaf.OperationRegistration, server.registrationRequest(), uaf.StatusOK},
		{"authentication", uaf.OperationAuthentication, server.authenticationRequest(), uaf.StatusOK},
		{"transaction", uaf.OperationAuthentication, server.authenticationRequest(pay), uaf.StatusOK},
		{"the other operation", uaf.OperationRegistration, server.authenticationRequest(), content},
		{"a policy that only its clients know", uaf.OperationAuthentication,
			changed(t, server.authenticationRequest(), set("policy", object{"accepted": "all"})), uaf.StatusOK},
		{"nulls", uaf.OperationAuthentication, changed(t, changed(t, server.authenticationRequest(),
			set("transaction", nil)), set("header/exts", nil)), uaf.StatusOK},
		{"a short challenge", uaf.OperationAuthentication, changed(t, server.authenticationRequest(), set("challenge", "AAAA")), content},
		{"no challenge", uaf.OperationAuthentication, changed(t, server.authenticationRequest(), set("challenge", absent)), content},
		{"no header", uaf.OperationAuthentication, changed(t, server.authenticationRequest(), set("header", absent)), content},
		{"not JSON", uaf.OperationAuthentication, "x", badRequest},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request, err := uaf.ReadRequest(c.operation, c.message)
			wantStatus(t, err, c.want)
			if err == nil && (request.AppID != testAppID || len(request.Challenge) != 32) {
				t.Errorf("read %+v", request)
			}
		})
	}
	request, err := uaf.ReadRequest(uaf.OperationAuthentication, server.authenticationRequest(pay))
	if err != nil || !bytes.Equal(request.Challenge, server.challenge) || !bytes.Equal(request.Transactions[0].Hash(), pay.Hash()) {
		t.Errorf("read %+v (%v)", request, err)
	}
}

// The structure of a response is judged without its signatures.
func TestStructure(t *testing.T) {
	cases := []struct {
		name   string
		tamper uaftest.Tamper
		more   []uaf.Assertion
		want   uaf.Status
	}{
		{"as it should be", uaftest.Tamper{}, nil, uaf.StatusOK},
		{"a wrong signature", uaftest.Tamper{Signature: at(12, 1, 2, 3)}, nil, uaf.StatusOK},
		{"a wrong hash", inSigned(uaf.TagFinalChallengeHash, at(0, 1, 2, 3)), nil, uaf.StatusOK},
		{"a byte too many", uaftest.Tamper{Encoded: func(b []byte) []byte { return append(b, 0) }}, nil, content},
		{"an unknown element", uaftest.Tamper{Signed: addExtension(0x3E20)}, nil, content},
		{"another scheme", uaftest.Tamper{Response: func(r *uaf.Response) { r.Assertions[0].Scheme = "OTHER" }}, nil, content},
		{"one of two is good", uaftest.Tamper{}, []uaf.Assertion{{Scheme: uaf.SchemeTLV, Text: "AAAA"}}, uaf.StatusOK},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := registered(t, uaftest.Options{})
			authenticator.Options.Tamper = c.tamper
			message, err := authenticator.Authenticate(server.authenticationRequest())
			if err != nil {
				t.Fatal(err)
			}
			signIn, err := uaf.ParseAuthenticationResponse(message)
			if err != nil {
				t.Fatal(err)
			}
			signIn.Assertions = append(signIn.Assertions, c.more...)
			wantStatus(t, signIn.Structure(), c.want)

			authenticator.Keys = nil
			message, err = authenticator.Register(newServer(t, metadataOf(t, authenticator)).registrationRequest())
			if err != nil {
				t.Fatal(err)
			}
			registration, err := uaf.ParseRegistrationResponse(message)
			if err != nil {
				t.Fatal(err)
			}
			registration.Assertions = append(registration.Assertions, c.more...)
			wantStatus(t, registration.Structure(), c.want)
		})
	}
}

func metadataOf(t testing.TB, authenticator *uaftest.Authenticator) []byte {
	t.Helper()
	document, err := authenticator.Metadata(nil)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestDeregistrationRequestMembers(t *testing.T) {
	key := base64.RawURLEncoding.EncodeToString(make([]byte, 32))
	good, err := uaf.NewDeregistrationRequest(testAppID).Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"header":{"upv":{"major":1,"minor":1},"op":"Dereg","appID":"` + testAppID + `"},"authenticators":[{"aaid":"","keyID":""}]}]`
	if good != want {
		t.Errorf("got %s, want %s", good, want)
	}
	cases := []struct {
		authenticator any
		want          uaf.Status
	}{
		{object{"aaid": "", "keyID": ""}, uaf.StatusOK},
		{object{"aaid": "ABCD#1234", "keyID": ""}, uaf.StatusOK},
		{object{"aaid": "ABCD#1234", "keyID": key}, uaf.StatusOK},
		{object{"aaid": "", "keyID": key}, content},
		{object{"aaid": "ABCD", "keyID": key}, content},
		{object{"aaid": "ABCD#1234", "keyID": "AAAA"}, content},
		{object{"aaid": "ABCD#1234"}, content},
		{object{"keyID": ""}, content},
		{object{"aaid": nil, "keyID": ""}, content},
		{nil, content},
	}
	for _, c := range cases {
		_, err := uaf.ParseDeregistrationRequest(changed(t, good, set("authenticators", []any{c.authenticator})))
		if uaf.StatusOf(err) != c.want {
			t.Errorf("%v: %v", c.authenticator, err)
		}
	}
	for _, list := range []any{absent, nil, []any{}, object{}} {
		_, err := uaf.ParseDeregistrationRequest(changed(t, good, set("authenticators", list)))
		wantStatus(t, err, content)
	}
	if _, err := uaf.NewDeregistrationRequest(testAppID, uaf.KeyReference{AAID: "x"}).Encode(); err == nil {
		t.Error("a request for an AAID that is none was written")
	}
}
