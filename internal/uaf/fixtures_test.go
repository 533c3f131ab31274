package uaf_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

const (
	testAppID = "https://bank.example/uaf/facets"
	testFacet = "https://bank.example"
	testAAID  = uaf.AAID("ABCD#1234")
)

var (
	encode = base64.RawURLEncoding.EncodeToString
	// issued is the challenge of all requests.
	issued = bytes.Repeat([]byte{7}, 32)
)

func wantStatus(t *testing.T, err error, want uaf.Status) {
	t.Helper()
	if got := uaf.StatusOf(err); got != want {
		t.Errorf("status %d, want %d (%v)", got, want, err)
	}
}

func text(t testing.TB, words string) uaf.Transaction {
	t.Helper()
	transaction, err := uaf.NewTextTransaction(words)
	if err != nil {
		t.Fatal(err)
	}
	return transaction
}

// registrationRequest returns a request for any key of testAAID.
func registrationRequest(t testing.TB) string {
	t.Helper()
	message, err := uaf.RegistrationRequest{
		Header:    uaf.NewHeader(uaf.OperationRegistration, testAppID, "data"),
		Challenge: encode(issued), Username: "alice",
		Policy: uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{testAAID}}}}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// authenticationRequest returns a request for any key of testAAID.
func authenticationRequest(t testing.TB, shown ...uaf.Transaction) string {
	t.Helper()
	message, err := uaf.AuthenticationRequest{
		Header:    uaf.NewHeader(uaf.OperationAuthentication, testAppID, "data"),
		Challenge: encode(issued), Transactions: shown,
		Policy: uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{testAAID}}}}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// device returns an authenticator of testAAID.
func device(t testing.TB, tamper softuaf.Tamper) *softuaf.Authenticator {
	t.Helper()
	a, err := softuaf.New(softuaf.Options{AAID: testAAID, Algorithm: uaf.AlgorithmP256DER, FacetID: testFacet, Version: 2, Tamper: tamper})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// registrationResponse returns a device's answer to registrationRequest.
func registrationResponse(t testing.TB, a *softuaf.Authenticator) string {
	t.Helper()
	message, err := a.Register(registrationRequest(t))
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// authenticationResponse returns the answer of a device that has registered.
func authenticationResponse(t testing.TB, a *softuaf.Authenticator, shown ...uaf.Transaction) string {
	t.Helper()
	message, err := a.Authenticate(authenticationRequest(t, shown...))
	if err != nil {
		t.Fatal(err)
	}
	return message
}
