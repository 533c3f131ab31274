package uaf_test

import (
	"encoding/base64"
	"testing"

	"countersign/internal/uaf"
)

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
