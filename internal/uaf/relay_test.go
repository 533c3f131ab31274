package uaf_test

import (
	"bytes"
	"testing"

	"countersign/internal/uaf"
	"countersign/internal/uaf/uaftest"
)

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
