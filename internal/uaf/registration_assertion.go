package uaf

import "encoding/binary"

// RegistrationAssertion is a parsed REG_ASSERTION (UAF authenticator commands,
// section on TAG_UAFV1_REG_ASSERTION). Its slices lie in the parsed input.
type RegistrationAssertion struct {
	KeyRegistrationData
	Attestation Attestation
	// Signed is the whole KRD element with tag and length, which the attestation signs.
	Signed []byte
}

// KeyRegistrationData is the content of a KRD.
type KeyRegistrationData struct {
	AAID                AAID
	Info                AssertionInfo
	FinalChallengeHash  []byte // SHA-256, see [FinalChallengeHash]
	KeyID               []byte // 32 to 2048 bytes
	SignCounter         uint32
	RegistrationCounter uint32
	PublicKey           []byte // in the format that Info names
}

// parseRegistrationAssertion parses a decoded assertion to its last byte. It checks the
// form alone: no signature, no metadata. Every refusal is 1498.
func parseRegistrationAssertion(data []byte) (*RegistrationAssertion, error) {
	if len(data) > maxAssertionSize {
		return nil, unacceptable("assertion of %d bytes", len(data))
	}
	outer, err := onlyElement(data, TagRegistrationAssertion)
	if err != nil {
		return nil, err
	}
	var krd, full, surrogate, ecdaa element
	err = parseComposite(outer.tag, outer.value, []slot{
		{tag: TagKRD, most: maxUint16, to: &krd},
		{tag: TagAttestationFull, most: maxUint16, optional: true, to: &full},
		{tag: TagAttestationSurrogate, most: maxUint16, optional: true, to: &surrogate},
		{tag: TagAttestationECDAA, most: maxUint16, optional: true, to: &ecdaa},
	})
	if err != nil {
		return nil, err
	}
	assertion := &RegistrationAssertion{Signed: krd.whole}
	if err := assertion.parse(krd.value); err != nil {
		return nil, err
	}
	if err := assertion.Attestation.parse(full, surrogate, ecdaa); err != nil {
		return nil, err
	}
	return assertion, nil
}

func (k *KeyRegistrationData) parse(content []byte) error {
	var aaid, info, hash, keyID, counters, publicKey element
	err := parseComposite(TagKRD, content, []slot{
		{tag: TagAAID, least: aaidSize, most: aaidSize, to: &aaid},
		{tag: TagAssertionInfo, least: registrationInfoSize, most: registrationInfoSize, to: &info},
		{tag: TagFinalChallengeHash, least: hashSize, most: hashSize, to: &hash},
		{tag: TagKeyID, least: minKeyID, most: maxKeyID, to: &keyID},
		{tag: TagCounters, least: registrationCountersSize, most: registrationCountersSize, to: &counters},
		{tag: TagPublicKey, least: 1, most: maxPublicKey, to: &publicKey},
	})
	if err != nil {
		return err
	}
	k.Info = parseAssertionInfo(info.value)
	if k.Info.Mode != ModeVerified {
		return unacceptable("authentication mode %d in a registration", k.Info.Mode)
	}
	k.FinalChallengeHash, k.KeyID, k.PublicKey = hash.value, keyID.value, publicKey.value
	k.SignCounter = binary.LittleEndian.Uint32(counters.value)
	k.RegistrationCounter = binary.LittleEndian.Uint32(counters.value[4:])
	k.AAID, err = ParseAAID(string(aaid.value))
	return err
}

// Element returns the KRD for writing, with its children in the order of the
// specification. Parsing checks their sizes, this does not.
func (k KeyRegistrationData) Element() Element {
	counters := binary.LittleEndian.AppendUint32(nil, k.SignCounter)
	counters = binary.LittleEndian.AppendUint32(counters, k.RegistrationCounter)
	return Element{Tag: TagKRD, Children: []Element{
		{Tag: TagAAID, Value: []byte(k.AAID)},
		{Tag: TagAssertionInfo, Value: k.Info.appendTo(nil)},
		{Tag: TagFinalChallengeHash, Value: k.FinalChallengeHash},
		{Tag: TagKeyID, Value: k.KeyID},
		{Tag: TagCounters, Value: counters},
		{Tag: TagPublicKey, Value: k.PublicKey},
	}}
}
