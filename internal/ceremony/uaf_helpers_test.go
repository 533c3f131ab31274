package ceremony_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

const (
	facet = "android:apk-key-hash:ZmFjZXQ"
	appID = "https://example.org/uaf/facets"
	aaid  = uaf.AAID("ABCD#1234")
)

// phone returns a UAF authenticator.
func phone(t testing.TB, options ...func(*softuaf.Options)) *softuaf.Authenticator {
	t.Helper()
	o := softuaf.Options{AAID: aaid, Algorithm: uaf.AlgorithmP256DER, FacetID: facet}
	for _, set := range options {
		set(&o)
	}
	a, err := softuaf.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func uafHeader(operation uaf.Operation) uaf.Header {
	return uaf.NewHeader(operation, appID, "opaque")
}

var anyModel = uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{aaid}}}}}

func registrationRequest(t testing.TB, change ...func(*uaf.RegistrationRequest)) string {
	t.Helper()
	r := uaf.RegistrationRequest{
		Header: uafHeader(uaf.OperationRegistration), Challenge: encode(challenge("uaf")), Username: user, Policy: anyModel,
	}
	for _, f := range change {
		f(&r)
	}
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func authenticationRequest(t testing.TB, shown ...uaf.Transaction) string {
	t.Helper()
	text, err := uaf.AuthenticationRequest{
		Header: uafHeader(uaf.OperationAuthentication), Challenge: encode(challenge("uaf")), Policy: anyModel, Transactions: shown,
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// answers returns an authenticator's responses to both requests, tampered with.
func answers(t testing.TB, a *softuaf.Authenticator, tamper softuaf.Tamper, shown ...uaf.Transaction) map[ceremony.Kind]string {
	t.Helper()
	out := map[ceremony.Kind]string{}
	a.Options.Tamper = tamper
	var err error
	if out[ceremony.Registration], err = a.Register(registrationRequest(t)); err != nil {
		t.Fatal(err)
	}
	kind := ceremony.SignIn
	if len(shown) > 0 {
		kind = ceremony.Transaction
	}
	if out[kind], err = a.Authenticate(authenticationRequest(t, shown...)); err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t testing.TB, s string) uaf.Transaction {
	t.Helper()
	transaction, err := uaf.NewTextTransaction(s)
	if err != nil {
		t.Fatal(err)
	}
	return transaction
}

func pendingUAF(kind ceremony.Kind) (*ceremony.Pending, ceremony.ClientClaims) {
	return &ceremony.Pending{Kind: kind, Protocol: ceremony.UAF11, User: user, Challenge: challenge("uaf"), AppID: appID},
		ceremony.ClientClaims{Kind: kind, Protocol: ceremony.UAF11, User: user}
}

func readUAF(kind ceremony.Kind, text string) (*ceremony.Response, error) {
	if kind == ceremony.Registration {
		return ceremony.FromRegistrationResponse(ceremony.UAF11, text)
	}
	return ceremony.FromAuthenticationResponse(ceremony.UAF11, text)
}

// judgeUAF parses and checks a response as the relay does.
func judgeUAF(kind ceremony.Kind, text string) error {
	r, err := readUAF(kind, text)
	if err != nil {
		return err
	}
	pending, got := pendingUAF(kind)
	return party.Check(pending, got, r)
}

// wantRefusal checks that err is the fault key with a UAF status; "" requires success.
func wantRefusal(t testing.TB, what string, err error, key fault.Key, status uaf.Status) {
	t.Helper()
	wantKey(t, what, err, key)
	if err != nil && fault.From(err).UAFStatusCode != int(status) {
		t.Errorf("%s: status %d, want %d (%v)", what, fault.From(err).UAFStatusCode, status, err)
	}
}

// uafMessage is a response in the parts that tests change. The parts are JSON texts, so
// that they can hold anything.
type uafMessage struct {
	operation, headerAppID, serverData      string
	appID, challenge, facetID, binding      string
	assertion, scheme, version, extraParams string
}

// honestUAF returns a response with a genuine assertion, perhaps made for other fcParams:
// a relay does not compare the two.
func honestUAF(t testing.TB, kind ceremony.Kind) uafMessage {
	t.Helper()
	operation := uaf.OperationAuthentication
	if kind == ceremony.Registration {
		operation = uaf.OperationRegistration
	}
	return uafMessage{
		operation: `"` + string(operation) + `"`, headerAppID: `"` + appID + `"`, serverData: `"opaque"`,
		appID: `"` + appID + `"`, challenge: `"` + encode(challenge("uaf")) + `"`, facetID: `"` + facet + `"`, binding: `{}`,
		assertion: `"` + encode(assertionOf(t, kind)) + `"`, scheme: `"UAFV1TLV"`, version: `{"major":1,"minor":1}`,
	}
}

// assertionOf returns a genuine assertion, decoded.
func assertionOf(t testing.TB, kind ceremony.Kind) []byte {
	t.Helper()
	var kept []byte
	answers(t, phone(t), softuaf.Tamper{Response: func(r *uaf.Response) {
		registration := r.Header.Operation == uaf.OperationRegistration
		if registration == (kind == ceremony.Registration) {
			kept, _ = base64.RawURLEncoding.DecodeString(r.Assertions[0].Text)
		}
	}})
	return kept
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

// bothUAF are the kinds of responses.
var bothUAF = []ceremony.Kind{ceremony.Registration, ceremony.SignIn}
