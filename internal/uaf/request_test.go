package uaf_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/uaf"
)

func TestRequest_InvalidMembers(t *testing.T) {
	critical := []any{object{"id": "x", "data": "", "fail_if_unknown": true}}
	cases := []struct {
		path  string
		value any
	}{
		{"header", absent}, {"header", nil}, {"header/op", "Dereg"}, {"header/upv/minor", 0},
		{"header/appID", 1}, {"header/appID", strings.Repeat("a", 513)}, {"header/serverData", ""},
		{"header/exts", critical},
		{"challenge", absent}, {"challenge", nil}, {"challenge", ""}, {"challenge", 1}, {"challenge", "AAAA"},
		{"challenge", "AAAAAAAAAAA="}, {"challenge", encode(make([]byte, 7))}, {"challenge", encode(make([]byte, 65))},
		{"policy", absent}, {"policy", nil}, {"policy", []any{}}, {"policy", object{}}, {"policy/accepted", nil},
		{"policy/accepted", []any{}}, {"policy/accepted", []any{[]any{}}}, {"policy/accepted", []any{nil}},
		{"policy/disallowed", []any{}}, {"policy/disallowed", []any{[]any{}}}, {"header/exts", []any{}},
		{"policy/disallowed", nil}, {"policy/disallowed", object{}},
	}
	registration, authentication := registrationRequest(t), authenticationRequest(t)
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

func TestRequest_EncodeRefused(t *testing.T) {
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

// A written request is parsed to the same value, whatever it contains.
func TestRequest_RoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		request := uaf.RegistrationRequest{
			Header:    uaf.NewHeader(uaf.OperationRegistration, rapid.StringN(0, 512, -1).Draw(r, "appID"), rapid.StringN(0, 1536, -1).Draw(r, "serverData")),
			Challenge: encode(rapid.SliceOfN(rapid.Byte(), 8, 64).Draw(r, "challenge")),
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
