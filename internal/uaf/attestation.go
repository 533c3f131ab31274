package uaf

import (
	"slices"
	"time"
)

// checkAttestation demands the attestation that the metadata asks for: BASIC_FULL
// with root certificates, BASIC_SURROGATE without any (UAF protocol, registration
// response processing rules for a server).
func checkAttestation(statement *Statement, parsed *registrationAssertion, now time.Time) error {
	tag := parsed.Attestation.Tag
	wanted := TagAttestationSurrogate
	if len(statement.Roots) > 0 {
		wanted = TagAttestationFull
	}
	switch {
	case tag == TagAttestationECDAA:
		return refuse(StatusUnacceptableAttestation, "ECDAA attestation is not supported")
	case tag != wanted:
		return refuse(StatusUnacceptableAttestation, "AAID %s: %s where the metadata asks for %s", statement.AAID, tag, wanted)
	case len(statement.AttestationTypes) > 0 && !slices.Contains(statement.AttestationTypes, tag):
		return refuse(StatusUnacceptableAttestation, "AAID %s: %s is not of the metadata's types", statement.AAID, tag)
	}
	key, err := attestationKey(statement, parsed, now)
	if err != nil {
		return err
	}
	if err := key.verify(parsed.Info.Algorithm, parsed.Signed, parsed.Attestation.Signature); err != nil {
		return refuseCause(StatusUnacceptableAttestation, err, "AAID %s: attestation signature", statement.AAID)
	}
	return nil
}

// attestationKey returns the key that verifies the attestation: the leaf certificate's,
// or the new key itself.
func attestationKey(statement *Statement, parsed *registrationAssertion, now time.Time) (publicKey, error) {
	needed := parsed.Info.Algorithm.keyType()
	if parsed.Attestation.Tag == TagAttestationSurrogate {
		return parsePublicKey(parsed.Info.KeyFormat, parsed.PublicKey, needed)
	}
	leaf, err := statement.chains.leafKey(parsed.Attestation.Certificates, statement.Roots, now)
	if err != nil {
		return publicKey{}, err
	}
	key, err := parseSPKI(leaf, needed)
	if err != nil {
		return publicKey{}, refuseCause(StatusUnacceptableAttestation, err, "attestation certificate")
	}
	return key, nil
}

// Attestation is the one attestation of a registration. Tag is [TagAttestationFull],
// [TagAttestationSurrogate] or [TagAttestationECDAA]; Certificates, DER with the leaf
// first, come with the first of these alone.
type Attestation struct {
	Tag          Tag
	Signature    []byte
	Certificates [][]byte
}

// parse parses the attestation composites found; there must be exactly one.
func (a *Attestation) parse(found ...element) error {
	var chosen element
	for _, e := range found {
		if e.whole == nil {
			continue
		}
		if chosen.whole != nil {
			return unacceptable("TLV: %s beside %s", e.tag, chosen.tag)
		}
		chosen = e
	}
	if chosen.whole == nil {
		return unacceptable("TLV: no attestation")
	}
	var signature element
	slots := []slot{{tag: TagSignature, least: 1, most: maxSignature, to: &signature}}
	if chosen.tag == TagAttestationFull {
		a.Certificates = make([][]byte, 0, maxCertificatesPerAssertion)
		slots = append(slots, slot{tag: TagAttestationCert, least: 1, most: maxCertificate, list: &a.Certificates})
	}
	if err := parseComposite(chosen.tag, chosen.value, slots); err != nil {
		return err
	}
	a.Tag, a.Signature = chosen.tag, signature.value
	return nil
}

// Element returns the attestation for writing.
func (a Attestation) Element() Element {
	e := Element{Tag: a.Tag, Children: []Element{{Tag: TagSignature, Value: a.Signature}}}
	for _, certificate := range a.Certificates {
		e.Children = append(e.Children, Element{Tag: TagAttestationCert, Value: certificate})
	}
	return e
}
