package uaf_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"countersign/internal/authenticator/softuaf"
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
	params := map[*server]string{}
	for authenticator, s := range map[*softuaf.Authenticator]*server{full: attested, plain: other} {
		params[s] = paramsOf(f, authenticator, s.registrationRequest())
	}
	for _, algorithm := range algorithms {
		authenticator, s := pair(f, softuaf.Options{Algorithm: algorithm, Attestation: uaf.TagAttestationFull}, nil)
		data, err := base64.RawURLEncoding.DecodeString(assertionOf(f, authenticator, s.registrationRequest()).Text)
		if err != nil {
			f.Fatal(err)
		}
		parsed, err := uaf.ParseRegistrationAssertion(data)
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
				FinalChallengeHash: uaf.FinalChallengeHash(params[s]), KeyID: bytes.Repeat([]byte{7}, 32), PublicKey: key,
			}
			attestation := uaf.Attestation{Tag: tag, Signature: signature}
			if tag == uaf.TagAttestationFull {
				attestation.Certificates = [][]byte{certificate}
			}
			data, err := uaf.Element{Tag: uaf.TagRegistrationAssertion, Children: []uaf.Element{krd.Element(), attestation.Element()}}.Encode()
			if err != nil {
				return
			}
			a := uaf.Assertion{Scheme: uaf.SchemeTLV, Text: base64.RawURLEncoding.EncodeToString(data)}
			_, err = uaf.VerifyRegistration(a, params[s], &uaf.RegistrationContext{Expectation: s.expectation(), Now: s.now})
			judged(t, err)
			if err == nil && tag == uaf.TagAttestationFull {
				t.Error("an attestation by nobody was believed")
			}
		}
	})
}
