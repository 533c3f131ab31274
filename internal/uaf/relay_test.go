package uaf_test

import (
	"bytes"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

func TestReadRequest(t *testing.T) {
	pay := text(t, "Pay 100 EUR to Bob?")
	cases := []struct {
		name      string
		operation uaf.Operation
		message   string
		want      uaf.Status
	}{
		{"registration", uaf.OperationRegistration, registrationRequest(t), uaf.StatusOK},
		{"authentication", uaf.OperationAuthentication, authenticationRequest(t), uaf.StatusOK},
		{"transaction", uaf.OperationAuthentication, authenticationRequest(t, pay), uaf.StatusOK},
		{"the other operation", uaf.OperationRegistration, authenticationRequest(t), content},
		{"a policy that only its clients know", uaf.OperationAuthentication,
			changed(t, authenticationRequest(t), set("policy", object{"accepted": "all"})), uaf.StatusOK},
		{"nulls", uaf.OperationAuthentication, changed(t, changed(t, authenticationRequest(t),
			set("transaction", nil)), set("header/exts", nil)), uaf.StatusOK},
		{"empty lists", uaf.OperationAuthentication, changed(t, changed(t, authenticationRequest(t),
			set("transaction", []any{})), set("header/exts", []any{})), uaf.StatusOK},
		{"a short challenge", uaf.OperationAuthentication, changed(t, authenticationRequest(t), set("challenge", "AAAA")), content},
		{"no challenge", uaf.OperationAuthentication, changed(t, authenticationRequest(t), set("challenge", absent)), content},
		{"no header", uaf.OperationAuthentication, changed(t, authenticationRequest(t), set("header", absent)), content},
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
	request, err := uaf.ReadRequest(uaf.OperationAuthentication, authenticationRequest(t, pay))
	if err != nil || !bytes.Equal(request.Challenge, issued) || !bytes.Equal(request.Transactions[0].Hash(), pay.Hash()) {
		t.Errorf("read %+v (%v)", request, err)
	}
}

// A response is parsed to its last byte, without verifying signatures.
func TestReadResponse_WithoutVerifyingSignatures(t *testing.T) {
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
		{"a wrong signature", softuaf.Tamper{Signature: func(b []byte) []byte { b[12] ^= 1; return b }}, nil, uaf.StatusOK},
		{"a wrong hash", softuaf.Tamper{FCHash: func(string) []byte { return make([]byte, 32) }}, nil, uaf.StatusOK},
		{"another operation", rename("Dereg"), nil, uaf.StatusOK},
		{"a byte too many", softuaf.Tamper{Encoded: func(b []byte) []byte { return append(b, 0) }}, nil, content},
		{"another scheme", softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions[0].Scheme = "OTHER" }}, nil, content},
		{"one of two is good", softuaf.Tamper{}, []uaf.Assertion{{Scheme: uaf.SchemeTLV, Text: "AAAA"}}, uaf.StatusOK},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tamper := c.tamper
			tamper.Response = func(r *uaf.Response) {
				r.Assertions = append(r.Assertions, c.more...)
				if c.tamper.Response != nil {
					c.tamper.Response(r)
				}
			}
			authenticator := device(t, tamper)
			registration := registrationResponse(t, authenticator)
			signIn := authenticationResponse(t, authenticator)
			relayed, err := uaf.ReadResponse(uaf.OperationAuthentication, signIn)
			wantStatus(t, err, c.want)
			if err == nil && (!bytes.Equal(relayed.Challenge, issued) || relayed.Params.FacetID != testFacet || relayed.AppID != testAppID) {
				t.Errorf("read %+v", relayed)
			}
			_, err = uaf.ReadResponse(uaf.OperationRegistration, signIn)
			wantStatus(t, err, content)

			relayed, err = uaf.ReadResponse(uaf.OperationRegistration, registration)
			wantStatus(t, err, c.want)
			if err == nil && (!bytes.Equal(relayed.Challenge, issued) || relayed.Confirmed != nil) {
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
func TestReadResponse_ConfirmedHashes(t *testing.T) {
	authenticator := device(t, softuaf.Tamper{})
	registrationResponse(t, authenticator)
	pay := text(t, "Pay 100 EUR to Bob?")
	for name, c := range map[string]struct {
		shown []uaf.Transaction
		want  []byte
	}{"a transaction": {[]uaf.Transaction{pay}, pay.Hash()}, "a sign-in": {nil, nil}} {
		relayed, err := uaf.ReadResponse(uaf.OperationAuthentication, authenticationResponse(t, authenticator, c.shown...))
		if err != nil || len(relayed.Confirmed) != 1 || !bytes.Equal(relayed.Confirmed[0], c.want) {
			t.Errorf("%s: confirmed %x (%v)", name, relayed.Confirmed, err)
		}
		if relayed.Operation != uaf.OperationAuthentication {
			t.Errorf("%s: operation %s", name, relayed.Operation)
		}
	}
}
