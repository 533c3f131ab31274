package uaf_test

import (
	"testing"

	"countersign/internal/uaf"
)

func TestDeregistrationRequest_InvalidMembers(t *testing.T) {
	key := encode(make([]byte, 32))
	request := uaf.DeregistrationRequest{Header: uaf.NewHeader(uaf.OperationDeregistration, testAppID, ""), Authenticators: []uaf.DeregisterAuthenticator{{}}}
	good, err := request.Encode()
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
	request.Authenticators[0].AAID = "x"
	if _, err := request.Encode(); err == nil {
		t.Error("a request for an AAID that is none was written")
	}
}

func TestDeregistrationRequest_Covers(t *testing.T) {
	key := uaf.KeyReference{AAID: testAAID, KeyID: make([]byte, 32)}
	for named, want := range map[uaf.DeregisterAuthenticator]bool{
		{}:               true,
		{AAID: testAAID}: true,
		{AAID: "abcd#1234", KeyID: encode(key.KeyID)}: true,
		{AAID: testAAID, KeyID: encode(issued)}:       false,
		{AAID: "0000#0000"}:                           false,
	} {
		request := uaf.DeregistrationRequest{Authenticators: []uaf.DeregisterAuthenticator{named}}
		if got := request.Covers(key); got != want {
			t.Errorf("%+v covers the key: %t", named, got)
		}
	}
}
