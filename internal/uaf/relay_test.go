package uaf_test

import (
	"bytes"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

func TestReadRequest(t *testing.T) {
	_, server := registered(t, softuaf.Options{})
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
		{"empty lists", uaf.OperationAuthentication, changed(t, changed(t, server.authenticationRequest(),
			set("transaction", []any{})), set("header/exts", []any{})), uaf.StatusOK},
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

// A response is parsed to its last byte, without verifying signatures.
func TestReadResponse(t *testing.T) {
	rename := func(operation uaf.Operation) softuaf.Tamper {
		return softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.Operation = operation }}
	}
	cases := []struct {
		name   string
		tamper softuaf.Tamper
		more   []uaf.Assertion
		want   uaf.Status
	}{
		{"as it should be", softuaf.Tamper{}, nil, uaf.StatusOK},
		{"a wrong signature", softuaf.Tamper{Signature: at(12, 1, 2, 3)}, nil, uaf.StatusOK},
		{"a wrong hash", inSigned(uaf.TagFinalChallengeHash, at(0, 1, 2, 3)), nil, uaf.StatusOK},
		{"another operation", rename("Dereg"), nil, uaf.StatusOK},
		{"a byte too many", softuaf.Tamper{Encoded: func(b []byte) []byte { return append(b, 0) }}, nil, content},
		{"an unknown critical element", softuaf.Tamper{Signed: addExtension(0x3E20)}, nil, content},
		{"an unknown element", softuaf.Tamper{Signed: addExtension(0x1E20)}, nil, uaf.StatusOK},
		{"a user verification index", softuaf.Tamper{Signed: addIndex, Assertion: addIndex}, nil, uaf.StatusOK},
		{"another scheme", softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions[0].Scheme = "OTHER" }}, nil, content},
		{"one of two is good", softuaf.Tamper{}, []uaf.Assertion{{Scheme: uaf.SchemeTLV, Text: "AAAA"}}, uaf.StatusOK},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := registered(t, softuaf.Options{})
			tamper := c.tamper
			tamper.Response = func(r *uaf.Response) {
				r.Assertions = append(r.Assertions, c.more...)
				if c.tamper.Response != nil {
					c.tamper.Response(r)
				}
			}
			authenticator.Options.Tamper = tamper
			signIn, err := authenticator.Authenticate(server.authenticationRequest())
			if err != nil {
				t.Fatal(err)
			}
			relayed, err := uaf.ReadResponse(uaf.OperationAuthentication, signIn)
			wantStatus(t, err, c.want)
			if err == nil && (!bytes.Equal(relayed.Challenge, server.challenge) || relayed.Params.FacetID != testFacet || relayed.AppID != testAppID) {
				t.Errorf("read %+v", relayed)
			}
			_, err = uaf.ReadResponse(uaf.OperationRegistration, signIn)
			wantStatus(t, err, content)

			authenticator.Keys = nil
			server = newServer(t, metadataOf(t, authenticator))
			registration, err := authenticator.Register(server.registrationRequest())
			if err != nil {
				t.Fatal(err)
			}
			relayed, err = uaf.ReadResponse(uaf.OperationRegistration, registration)
			wantStatus(t, err, c.want)
			if err == nil && (!bytes.Equal(relayed.Challenge, server.challenge) || relayed.Confirmed != nil) {
				t.Errorf("read %+v", relayed)
			}
			_, err = uaf.ReadResponse(uaf.OperationAuthentication, registration)
			wantStatus(t, err, content)
		})
	}
	_, err := uaf.ReadResponse(uaf.OperationAuthentication, "x")
	wantStatus(t, err, badRequest)
}

// ReadResponse returns each well-formed assertion's confirmed hash, whether a transaction
// was requested or not.
func TestReadResponseTellsWhatWasConfirmed(t *testing.T) {
	authenticator, server := registered(t, softuaf.Options{})
	pay := text(t, "Pay 100 EUR to Bob?")
	for name, c := range map[string]struct {
		shown []uaf.Transaction
		want  []byte
	}{"a transaction": {[]uaf.Transaction{pay}, pay.Hash()}, "a sign-in": {nil, nil}} {
		response, err := authenticator.Authenticate(server.authenticationRequest(c.shown...))
		if err != nil {
			t.Fatal(err)
		}
		relayed, err := uaf.ReadResponse(uaf.OperationAuthentication, response)
		if err != nil || len(relayed.Confirmed) != 1 || !bytes.Equal(relayed.Confirmed[0], c.want) {
			t.Errorf("%s: confirmed %x (%v)", name, relayed.Confirmed, err)
		}
		if relayed.Operation != uaf.OperationAuthentication {
			t.Errorf("%s: operation %s", name, relayed.Operation)
		}
	}
}

func metadataOf(t testing.TB, authenticator *softuaf.Authenticator) []byte {
	t.Helper()
	document, err := authenticator.Metadata(nil)
	if err != nil {
		t.Fatal(err)
	}
	return document
}
