package ceremony_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// fuzzResponses passes texts to both parsers of protocol: each is refused as
// ceremony.malformed, or parsed to a response with a challenge for which Check returns
// nothing but faults.
func fuzzResponses(f *testing.F, p ceremony.Protocol) {
	f.Helper()
	f.Fuzz(func(t *testing.T, text string) {
		for kind, read := range map[ceremony.Kind]func(ceremony.Protocol, string) (*ceremony.Response, error){
			ceremony.Registration: ceremony.FromRegistrationResponse, ceremony.SignIn: ceremony.FromAuthenticationResponse,
		} {
			r, err := read(p, text)
			if err != nil {
				wantKey(t, "unreadable", err, fault.CeremonyMalformed)
				continue
			}
			if len(r.Challenge) == 0 {
				t.Fatal("a response without a challenge")
			}
			pending := &ceremony.Pending{Kind: kind, Protocol: p, User: user, Challenge: r.Challenge, RPID: rpID, AppID: appID}
			err = party.Check(pending, ceremony.ClientClaims{Kind: kind, Protocol: p, User: user}, r)
			if err != nil && fault.From(err).Key == fault.ServerInternal {
				t.Fatalf("refused without a row: %v", err)
			}
		}
	})
}

func FuzzFIDO2Responses(f *testing.F) {
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		for _, attestation := range []authenticator.Attestation{authenticator.None, authenticator.PackedBasic} {
			p := ceremonies(f, authenticator.Options{Algorithm: algorithm, Attestation: attestation, Discoverable: true}, authenticator.Tampering{})
			f.Add(p.registration)
			f.Add(p.assertion)
		}
	}
	fuzzResponses(f, ceremony.FIDO2)
}

func FuzzUAFResponses(f *testing.F) {
	for _, attestation := range []uaf.Tag{uaf.TagAttestationFull, uaf.TagAttestationSurrogate} {
		a := phone(f, func(o *softuaf.Options) { o.Attestation = attestation })
		for _, response := range answers(f, a, softuaf.Tamper{}, text(f, "Pay 10 EUR")) {
			f.Add(response)
			f.Add(strings.Replace(response, `"op"`, `"exts":[],"op"`, 1))
			f.Add(strings.Replace(response, `"assertionScheme"`, `"exts":[],"assertionScheme"`, 1))
		}
	}
	fuzzResponses(f, ceremony.UAF11)
}

// FuzzUAFInsides does the same to the parts inside a UAF response.
func FuzzUAFInsides(f *testing.F) {
	for _, kind := range bothUAF {
		m := honestUAF(f, kind)
		assertion := assertionOf(f, kind)
		f.Add(assertion, []byte(m.params()))
		longer := slices.Clone(assertion)
		binary.LittleEndian.PutUint16(longer[2:], binary.LittleEndian.Uint16(longer[2:])+4)
		for _, unknown := range []string{"\x03\x01\x00\x00", "\x03\x21\x00\x00"} {
			f.Add(slices.Concat(longer[:4], []byte(unknown), longer[4:]), []byte(m.params()))
		}
	}
	registration, signIn := honestUAF(f, ceremony.Registration), honestUAF(f, ceremony.SignIn)
	f.Fuzz(func(t *testing.T, assertion, params []byte) {
		for kind, m := range map[ceremony.Kind]uafMessage{ceremony.Registration: registration, ceremony.SignIn: signIn} {
			whole := m.String()
			for old, put := range map[string]string{m.assertion: `"` + encode(assertion) + `"`, encode([]byte(m.params())): encode(params)} {
				err := judgeUAF(kind, strings.Replace(whole, old, put, 1))
				if err != nil && fault.From(err).UAFStatusCode == 0 {
					t.Fatalf("refused without a status: %v", err)
				}
				if err != nil && fault.From(err).Key == fault.ServerInternal {
					t.Fatalf("refused without a row: %v", err)
				}
			}
		}
	})
}

// FuzzAttestationObject changes bytes that stand in base64url within the JSON, where a
// fuzzer of the JSON seldom gets.
func FuzzAttestationObject(f *testing.F) {
	for _, attestation := range []authenticator.Attestation{authenticator.None, authenticator.Packed, authenticator.PackedBasic} {
		ceremonies(f, authenticator.Options{Attestation: attestation}, authenticator.Tampering{AttestationObject: func(b []byte) []byte {
			f.Add(b)
			return b
		}})
	}
	honest := ceremonies(f, authenticator.Options{}, authenticator.Tampering{}).registration
	f.Fuzz(func(t *testing.T, object []byte) {
		_, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, set(t, honest, "response.attestationObject", encode(object)))
		if err != nil {
			wantKey(t, "unreadable", err, fault.CeremonyMalformed)
		}
	})
}

func FuzzAuthenticatorData(f *testing.F) {
	ceremonies(f, authenticator.Options{Algorithm: authenticator.EdDSA}, authenticator.Tampering{AuthDataBytes: func(b []byte) []byte {
		f.Add(b)
		return b
	}})
	honest := ceremonies(f, authenticator.Options{}, authenticator.Tampering{}).assertion
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, set(t, honest, "response.authenticatorData", encode(data)))
		if err != nil {
			wantKey(t, "unreadable", err, fault.CeremonyMalformed)
		}
	})
}

func FuzzClientData(f *testing.F) {
	ceremonies(f, authenticator.Options{}, authenticator.Tampering{ClientDataJSON: func(b []byte) []byte {
		f.Add(b)
		return b
	}})
	honest := ceremonies(f, authenticator.Options{}, authenticator.Tampering{}).assertion
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, set(t, honest, "response.clientDataJSON", encode(data)))
		if err != nil {
			wantKey(t, "unreadable", err, fault.CeremonyMalformed)
		}
	})
}

// Every request that can be parsed has a challenge.
func FuzzRequests(f *testing.F) {
	f.Add(`{"challenge":"AAAA","timeout":1.2e5,"rpId":"example.org","allowCredentials":[{"type":"public-key","id":"AAAA"}]}`)
	f.Add(`{"publicKey":{"challenge":"AAAA=","allowCredentials":null}}`)
	f.Add(creation(challenge("registration")))
	f.Add(registrationRequest(f))
	f.Add(authenticationRequest(f, text(f, "Pay 10 EUR"), drawn))
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []ceremony.Protocol{ceremony.FIDO2, ceremony.UAF11} {
			for _, read := range []func(ceremony.Protocol, string) (ceremony.Request, error){
				ceremony.FromRegistrationRequest, ceremony.FromAuthenticationRequest,
			} {
				if r, err := read(p, text); err == nil && (len(r.Challenge) == 0 || r.Timeout < 0) {
					t.Fatalf("%s: %+v", text, r)
				}
			}
		}
	})
}
