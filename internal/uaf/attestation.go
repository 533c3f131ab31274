package uaf

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
