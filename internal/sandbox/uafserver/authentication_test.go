package uafserver_test

import (
	"bytes"
	"slices"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// A server's checks of an authentication, each broken in an otherwise good, signed
// message.
var authenticationRules = []struct {
	name   string
	tamper softuaf.Tamper
	server func(*server)
	want   uaf.Status
}{
	{"nothing changed", softuaf.Tamper{}, nil, uaf.StatusOK},
	{"an unknown KeyID", inSigned(uaf.TagKeyID, at(0, 1, 2, 3)), nil, uaf.StatusUnknownKeyID},
	{"an unknown AAID", inSigned(uaf.TagAAID, at(0, 'F')), nil, uaf.StatusUnknownAAID},
	{"the AAID in lower case", inSigned(uaf.TagAAID, bytes.ToLower), nil, uaf.StatusOK},
	{"another user's key", softuaf.Tamper{}, func(s *server) { s.keys = nil }, uaf.StatusUnknownKeyID},
	{"a key that the policy does not name", softuaf.Tamper{}, func(s *server) {
		s.policy = uaf.AuthenticationPolicy([]uaf.KeyReference{{AAID: testAAID, KeyID: bytes.Repeat([]byte{9}, 32)}})
	}, uaf.StatusUnacceptableAuthenticator},
	{"a model that is disallowed", softuaf.Tamper{}, func(s *server) {
		s.policy.Disallowed = []uaf.MatchCriteria{{AAIDs: []uaf.AAID{testAAID}}}
	}, uaf.StatusUnacceptableAuthenticator},
	{"the hash is another", inSigned(uaf.TagFinalChallengeHash, at(0, 1, 2, 3, 4)), nil, content},
	{"the authenticator is outdated", inSigned(uaf.TagAssertionInfo, at(0, 1)), nil, uaf.StatusUnacceptableAuthenticator},
	{"the authenticator was updated", inSigned(uaf.TagAssertionInfo, at(0, 9)), nil, uaf.StatusOK},
	{"the algorithm is not the metadata's", inSigned(uaf.TagAssertionInfo, at(3, 1)), nil, uaf.StatusUnacceptableAlgorithm},
	{"the counter went back", softuaf.Tamper{}, func(s *server) { s.keys[0].SignCounter = 2 }, content},
	{"the counter stood still", softuaf.Tamper{}, func(s *server) { s.keys[0].SignCounter = 1 }, content},
	{"the counter went back to zero", inSigned(uaf.TagCounters, at(0, 0, 0, 0, 0)),
		func(s *server) { s.keys[0].SignCounter = 1 }, content},
	{"the counter leapt", inSigned(uaf.TagCounters, at(0, 255, 255, 255, 255)), nil, uaf.StatusOK},
	{"a transaction that nobody asked for", softuaf.Tamper{Signed: confirm(make([]byte, 32))}, nil, content},
	{"the signature changed", softuaf.Tamper{Signature: at(12, 0xAA, 0xBB)}, nil, content},
	{"something signed changed", softuaf.Tamper{Assertion: func(e *uaf.Element) {
		edit(e, uaf.TagAuthenticatorNonce, func(p *uaf.Element, i int) { p.Children[i].Value[0] ^= 1 })
	}}, nil, content},
	{"another key's signature", softuaf.Tamper{}, func(s *server) {
		signer, err := softuaf.NewSigner(uaf.AlgorithmP256DER)
		if err != nil {
			s.t.Fatal(err)
		}
		s.keys[0].PublicKey, err = signer.PublicKey(uaf.KeyECRaw)
		if err != nil {
			s.t.Fatal(err)
		}
	}, content},
	{"a critical extension", softuaf.Tamper{Signed: addExtension(uaf.TagCriticalExtension)}, nil, content},
	{"an ignorable extension", softuaf.Tamper{Signed: addExtension(uaf.TagExtension), Assertion: addExtension(uaf.TagExtension)}, nil, uaf.StatusOK},
	{"a user verification index", softuaf.Tamper{Signed: addIndex, Assertion: addIndex}, nil, uaf.StatusOK},
	{"one that was not signed", softuaf.Tamper{Assertion: func(e *uaf.Element) { addIndex(&e.Children[0]) }}, nil, content},
	{"an unknown critical element", softuaf.Tamper{Signed: addExtension(0x2103)}, nil, content},
	{"the parts in reverse", softuaf.Tamper{Signed: reversed, Assertion: reversed}, nil, uaf.StatusOK},
	{"another scheme", softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions[0].Scheme = "OTHER" }}, nil, content},
	{"a critical extension of the message", softuaf.Tamper{Response: func(r *uaf.Response) {
		r.Header.Extensions = []uaf.Extension{{ID: "x", FailIfUnknown: true}}
	}}, nil, content},
	{"a critical extension of the assertion", softuaf.Tamper{Response: func(r *uaf.Response) {
		r.Assertions[0].Extensions = []uaf.Extension{{ID: "x", FailIfUnknown: true}}
	}}, nil, content},
	{"a registration assertion", softuaf.Tamper{Assertion: func(e *uaf.Element) { e.Tag = uaf.TagRegistrationAssertion }}, nil, content},
	{"another appID in the header", softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.AppID = "https://evil.example" }}, nil, content},
}

func TestAuthentication_RulesBroken(t *testing.T) {
	for _, c := range authenticationRules {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := registered(t, softuaf.Options{})
			authenticator.Options.Tamper = c.tamper
			response, err := authenticator.Authenticate(server.authenticationRequest())
			if err != nil {
				t.Fatal(err)
			}
			if c.server != nil {
				c.server(server)
			}
			_, err = server.authenticate(response)
			wantStatus(t, err, c.want)
		})
	}
}

// confirm changes a SIGNED_DATA to one that confirms a transaction.
func confirm(hash []byte) func(*uaf.Element) {
	return func(e *uaf.Element) {
		edit(e, uaf.TagAssertionInfo, func(p *uaf.Element, i int) { p.Children[i].Value[2] = byte(uaf.ModeTransaction) })
		edit(e, uaf.TagTransactionContentHash, func(p *uaf.Element, i int) { p.Children[i].Value = hash })
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

func TestTransaction_Confirmation(t *testing.T) {
	pay, other, third := text(t, "Pay 100 EUR to Bob?"), text(t, "100 EUR to Bob: pay?"), text(t, "Pay 900 EUR to Eve?")
	cases := []struct {
		name   string
		asked  []uaf.Transaction
		tamper func(*uaf.Element)
		want   uaf.Status
	}{
		{"a text", []uaf.Transaction{pay}, nil, uaf.StatusOK},
		{"two forms, the first confirmed", []uaf.Transaction{other, pay}, nil, uaf.StatusOK},
		{"two forms, the second confirmed", []uaf.Transaction{other, pay}, confirm(pay.Hash()), uaf.StatusOK},
		{"another transaction", []uaf.Transaction{pay}, confirm(third.Hash()), content},
		{"not confirmed", []uaf.Transaction{pay}, func(e *uaf.Element) {
			confirm(nil)(e)
			edit(e, uaf.TagAssertionInfo, func(p *uaf.Element, i int) { p.Children[i].Value[2] = byte(uaf.ModeVerified) })
		}, content},
		{"confirmed without a hash", []uaf.Transaction{pay}, confirm(nil), content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := registered(t, softuaf.Options{Algorithm: uaf.AlgorithmSecp256k1Raw})
			authenticator.Options.Tamper.Signed = c.tamper
			response, err := authenticator.Authenticate(server.authenticationRequest(c.asked...))
			if err != nil {
				t.Fatal(err)
			}
			_, err = server.authenticate(response)
			wantStatus(t, err, c.want)
		})
	}
}

func TestAuthentication_SeveralAssertions(t *testing.T) {
	authenticator, server := registered(t, softuaf.Options{})
	request := server.authenticationRequest()
	sent := func(tamper softuaf.Tamper) *uaf.Response {
		authenticator.Options.Tamper = tamper
		authenticator.Keys[0].Counter = 0
		response, err := authenticator.Authenticate(request)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := uaf.ParseAuthenticationResponse(response)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	good, bad := sent(softuaf.Tamper{}), sent(softuaf.Tamper{Signature: at(12, 0xAA, 0xBB)})
	cases := []struct {
		name       string
		assertions []uaf.Assertion
		want       uaf.Status
	}{
		{"a bad one before", slices.Concat(bad.Assertions, good.Assertions), uaf.StatusOK},
		{"a bad one after", slices.Concat(good.Assertions, bad.Assertions), uaf.StatusOK},
		{"the same twice", slices.Concat(good.Assertions, good.Assertions), uaf.StatusOK},
		{"two bad ones", slices.Concat(bad.Assertions, bad.Assertions), content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			response := *good
			response.Assertions = c.assertions
			message, err := response.Encode()
			if err != nil {
				t.Fatal(err)
			}
			server.keys[0].SignCounter = 0
			results, err := server.authenticate(message)
			wantStatus(t, err, c.want)
			if err == nil && len(results) != 1 {
				t.Errorf("%d good ones", len(results))
			}
		})
	}
}

// The key decides the algorithm: one of another kind, even if the metadata lists it, is
// refused.
func TestAuthentication_AlgorithmOfOtherKeyType(t *testing.T) {
	authenticator, server := pair(t, softuaf.Options{}, put("authenticationAlgorithms", []int{2, 4, 5}))
	if err := registerWith(t, authenticator, server); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []byte{4, 5} {
		authenticator.Options.Tamper = inSigned(uaf.TagAssertionInfo, at(3, algorithm))
		response, err := authenticator.Authenticate(server.authenticationRequest())
		if err != nil {
			t.Fatal(err)
		}
		_, err = server.authenticate(response)
		wantStatus(t, err, uaf.StatusUnacceptableAlgorithm)
	}
}
