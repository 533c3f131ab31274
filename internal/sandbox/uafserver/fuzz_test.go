package uafserver_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

// FuzzKeysAndCertificates fuzzes the parts of a registration that are not TLV: the new
// key in each format, the signature of each algorithm, and the attestation's certificate.
// The rest is valid.
func FuzzKeysAndCertificates(f *testing.F) {
	everything := func(statement map[string]any) {
		statement["authenticationAlgorithms"] = []int{1, 2, 3, 4, 5, 6, 8, 9}
		statement["publicKeyAlgAndEncodings"] = []int{0x100, 0x101, 0x102, 0x103}
	}
	full, attested := pair(f, softuaf.Options{Attestation: uaf.TagAttestationFull}, everything)
	plain, other := pair(f, softuaf.Options{}, everything)
	responses := map[*server]*uaf.Response{}
	for authenticator, s := range map[*softuaf.Authenticator]*server{full: attested, plain: other} {
		responses[s] = responseTo(f, authenticator, s.registrationRequest())
	}
	for _, algorithm := range algorithms {
		authenticator, s := pair(f, softuaf.Options{Algorithm: algorithm, Attestation: uaf.TagAttestationFull}, nil)
		parsed, err := responseTo(f, authenticator, s.registrationRequest()).Assertions[0].Registration()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(algorithm), uint16(parsed.Info.KeyFormat), parsed.PublicKey, parsed.Attestation.Signature, parsed.Attestation.Certificates[0])
	}
	f.Fuzz(func(t *testing.T, algorithm, format uint16, key, signature, certificate []byte) {
		for s, tag := range map[*server]uaf.Tag{attested: uaf.TagAttestationFull, other: uaf.TagAttestationSurrogate} {
			krd := uaf.KeyRegistrationData{
				AAID:               testAAID,
				Info:               uaf.AssertionInfo{AuthenticatorVersion: 2, Mode: uaf.ModeVerified, Algorithm: uaf.SignatureAlgorithm(algorithm), KeyFormat: uaf.KeyFormat(format)},
				FinalChallengeHash: uaf.FinalChallengeHash(responses[s].FCParams), KeyID: bytes.Repeat([]byte{7}, 32), PublicKey: key,
			}
			attestation := uaf.Attestation{Tag: tag, Signature: signature}
			if tag == uaf.TagAttestationFull {
				attestation.Certificates = [][]byte{certificate}
			}
			data, err := uaf.Element{Tag: uaf.TagRegistrationAssertion, Children: []uaf.Element{krd.Element(), attestation.Element()}}.Encode()
			if err != nil {
				return
			}
			err = verifyOne(s, responses[s], data)
			judged(t, err)
			if err == nil && tag == uaf.TagAttestationFull {
				t.Error("an attestation by nobody was believed")
			}
		}
	})
}

// verifyOne verifies a response that has another assertion.
func verifyOne(s *server, r *uaf.Response, assertion []byte) error {
	response := *r
	response.Assertions = []uaf.Assertion{{Scheme: uaf.SchemeTLV, Text: encode(assertion)}}
	_, err := uafserver.VerifyRegistration(&response, &uafserver.RegistrationContext{
		Expectation: s.expectation(), Now: s.now, Registered: func(uaf.KeyReference) bool { return false },
	})
	return err
}

// judged fails unless an error is a refusal with a status of the protocol.
func judged(t *testing.T, err error) {
	t.Helper()
	if status := uaf.StatusOf(err); err != nil && (status == uaf.StatusOK || status == uaf.StatusInternalError) {
		t.Errorf("%v", err)
	}
}

// FuzzRegistration verifies registrations that parse, with metadata with and without
// roots.
func FuzzRegistration(f *testing.F) {
	full, _ := pair(f, softuaf.Options{AAID: "AAAA#0001", Attestation: uaf.TagAttestationFull, Algorithm: uaf.AlgorithmSecp256k1DER}, nil)
	plain, _ := pair(f, softuaf.Options{AAID: "AAAA#0002", Algorithm: uaf.AlgorithmPSSDER, KeyFormat: uaf.KeyRSADER}, nil)
	server := newServer(f, metadataOf(f, full), metadataOf(f, plain))
	request := server.registrationRequest()
	response := responseTo(f, full, request)
	for _, authenticator := range []*softuaf.Authenticator{full, plain} {
		data, err := base64.RawURLEncoding.DecodeString(responseTo(f, authenticator, request).Assertions[0].Text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { judged(t, verifyOne(server, response, data)) })
}

func FuzzMetadata(f *testing.F) {
	root := rootText(f)
	for _, statement := range []string{statementV2, statementV3} {
		f.Add([]byte("[" + statement + "]"))
	}
	f.Add([]byte(`[{"aaid":"0000#0000","authenticationAlgorithms":1,"publicKeyAlgAndEncoding":256,"attestationRootCertificates":["` + root + `"]}]`))
	f.Fuzz(func(t *testing.T, document []byte) {
		set, err := uafserver.ParseMetadata(document)
		if err != nil {
			return
		}
		for _, statement := range set.Statements {
			if found, ok := set.Lookup(statement.AAID); !ok || found != statement {
				t.Errorf("AAID %s is not found", statement.AAID)
			}
		}
	})
}
