package uafserver

import (
	"slices"
	"time"

	"countersign/internal/uaf"
)

// checkAttestation demands the attestation that the metadata asks for: BASIC_FULL
// with root certificates, BASIC_SURROGATE without any (UAF protocol, registration
// response processing rules for a server).
func checkAttestation(statement *Statement, parsed *uaf.RegistrationAssertion, now time.Time) error {
	tag := parsed.Attestation.Tag
	wanted := uaf.TagAttestationSurrogate
	if len(statement.Roots) > 0 {
		wanted = uaf.TagAttestationFull
	}
	switch {
	case tag == uaf.TagAttestationECDAA:
		return refuse(uaf.StatusUnacceptableAttestation, "ECDAA attestation is not supported")
	case tag != wanted:
		return refuse(uaf.StatusUnacceptableAttestation, "AAID %s: %s where the metadata asks for %s", statement.AAID, tag, wanted)
	case len(statement.AttestationTypes) > 0 && !slices.Contains(statement.AttestationTypes, tag):
		return refuse(uaf.StatusUnacceptableAttestation, "AAID %s: %s is not of the metadata's types", statement.AAID, tag)
	}
	key, err := attestationKey(statement, parsed, now)
	if err != nil {
		return err
	}
	if err := key.verify(parsed.Info.Algorithm, parsed.Signed, parsed.Attestation.Signature); err != nil {
		return refuseCause(uaf.StatusUnacceptableAttestation, err, "AAID %s: attestation signature", statement.AAID)
	}
	return nil
}

// attestationKey returns the key that verifies the attestation: the leaf certificate's,
// or the new key itself.
func attestationKey(statement *Statement, parsed *uaf.RegistrationAssertion, now time.Time) (publicKey, error) {
	needed := keyTypeOf(parsed.Info.Algorithm)
	if parsed.Attestation.Tag == uaf.TagAttestationSurrogate {
		return parsePublicKey(parsed.Info.KeyFormat, parsed.PublicKey, needed)
	}
	leaf, err := verifyChain(parsed.Attestation.Certificates, statement.Roots, now)
	if err != nil {
		return publicKey{}, err
	}
	key, err := parseSPKI(leaf.RawSubjectPublicKeyInfo, needed)
	if err != nil {
		return publicKey{}, refuseCause(uaf.StatusUnacceptableAttestation, err, "attestation certificate")
	}
	return key, nil
}
