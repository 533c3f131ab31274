package uaf_test

import (
	"encoding/base64"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// judged fails unless an error is a refusal with a status of the protocol.
func judged(t *testing.T, err error) {
	t.Helper()
	if status := uaf.StatusOf(err); err != nil && (status == uaf.StatusOK || status == uaf.StatusInternalError) {
		t.Errorf("%v", err)
	}
}

func FuzzTLV(f *testing.F) {
	for _, kind := range kinds {
		data, err := kind.make().Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
		for _, tag := range []uaf.Tag{0x0103, 0x1E20, 0x2103} {
			e := kind.make()
			for _, composite := range composites(&e) {
				unknown := uaf.Element{Tag: tag, Value: []byte("index")}
				composite.Children = append([]uaf.Element{unknown}, append(composite.Children, unknown)...)
			}
			f.Add(encoded(f, e))
		}
	}
	a := device(f, softuaf.Tamper{})
	response, err := uaf.ParseRegistrationResponse(registrationResponse(f, a))
	if err != nil {
		f.Fatal(err)
	}
	data, err := base64.RawURLEncoding.DecodeString(response.Assertions[0].Text)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if registration, err := uaf.ParseRegistrationAssertion(data); err == nil {
			again, err := registration.KeyRegistrationData.Element().Encode()
			if err != nil || len(again) > len(registration.Signed) {
				t.Errorf("read from %d bytes, written in %d (%v)", len(registration.Signed), len(again), err)
			}
		} else {
			judged(t, err)
		}
		if authentication, err := uaf.ParseAuthenticationAssertion(data); err == nil {
			again, err := authentication.SignedData.Element().Encode()
			if err != nil || len(again) > len(authentication.Signed) {
				t.Errorf("read from %d bytes, written in %d (%v)", len(authentication.Signed), len(again), err)
			}
		} else {
			judged(t, err)
		}
	})
}

func FuzzMessage(f *testing.F) {
	a, pay := device(f, softuaf.Tamper{}), text(f, "Pay 100 EUR to Bob?")
	registration := registrationResponse(f, a)
	for _, seed := range []string{
		registrationRequest(f), authenticationRequest(f, pay), registration, authenticationResponse(f, a, pay), "[]", "[{}]",
		`[{"header":{"upv":{"major":1,"minor":1},"op":"Dereg","appID":"https://bank.example"},"authenticators":[{"aaid":"ABCD#1234","keyID":""}]}]`,
		changed(f, registration, set("header/exts", []any{})), changed(f, registration, set("assertions/0/exts", []any{})),
		changed(f, authenticationRequest(f), set("transaction", []any{})),
		changed(f, authenticationRequest(f), set("policy/disallowed", []any{})),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		for _, parse := range []func(string) (*uaf.Response, error){uaf.ParseRegistrationResponse, uaf.ParseAuthenticationResponse} {
			_, err := parse(message)
			judged(t, err)
		}
		for _, operation := range []uaf.Operation{uaf.OperationRegistration, uaf.OperationAuthentication} {
			_, err := uaf.ReadRequest(operation, message)
			judged(t, err)
			relayed, err := uaf.ReadResponse(operation, message)
			judged(t, err)
			if err == nil && len(relayed.Challenge) < 8 {
				t.Errorf("a challenge of %d bytes", len(relayed.Challenge))
			}
		}
		if request, err := uaf.ParseRegistrationRequest(message); err == nil {
			request.Policy.Allows(phone())
			roundTrips(t, request.Encode, func(again string) error { _, err := uaf.ParseRegistrationRequest(again); return err })
		}
		if request, err := uaf.ParseAuthenticationRequest(message); err == nil {
			roundTrips(t, request.Encode, func(again string) error { _, err := uaf.ParseAuthenticationRequest(again); return err })
		}
		if request, err := uaf.ParseDeregistrationRequest(message); err == nil {
			roundTrips(t, request.Encode, func(again string) error { _, err := uaf.ParseDeregistrationRequest(again); return err })
		}
	})
}

// roundTrips checks that a parsed message can be encoded and parsed again.
func roundTrips(t *testing.T, encode func() (string, error), parse func(string) error) {
	t.Helper()
	again, err := encode()
	if err == nil {
		err = parse(again)
	}
	if err != nil {
		t.Errorf("%v", err)
	}
}

func FuzzFinalChallengeParams(f *testing.F) {
	f.Add([]byte(`{"appID":"a","challenge":"AAAAAAAAAAAA","facetID":"b","channelBinding":{}}`))
	f.Add([]byte(`{"appID":"a","challenge":"AAAAAAAAAAAA","facetID":"b","channelBinding":{"tlsUnique":"x"},"x":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		params, err := uaf.ParseFinalChallengeParams(base64.RawURLEncoding.EncodeToString(data))
		judged(t, err)
		if err == nil {
			roundTrips(t, params.Encode, func(again string) error { _, err := uaf.ParseFinalChallengeParams(again); return err })
		}
	})
}
