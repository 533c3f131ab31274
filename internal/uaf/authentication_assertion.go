package uaf

import "encoding/binary"

// AuthenticationAssertion is a parsed AUTH_ASSERTION (UAF authenticator
// commands, section on TAG_UAFV1_AUTH_ASSERTION). Its slices lie in the input.
type AuthenticationAssertion struct {
	SignedData
	Signature []byte
	// Signed is the whole SIGNED_DATA element, tag and length included.
	Signed []byte
}

// SignedData is the content of a SIGNED_DATA.
type SignedData struct {
	AAID               AAID
	Info               AssertionInfo
	Nonce              []byte // 8 to 64 bytes
	FinalChallengeHash []byte // SHA-256, see [FinalChallengeHash]
	TransactionHash    []byte // SHA-256 in ModeTransaction, else empty
	KeyID              []byte // 32 to 2048 bytes
	SignCounter        uint32
}

// parseAuthenticationAssertion parses a decoded assertion to its last byte. It checks the
// form alone: no signature, no counter. Every refusal is 1498.
func parseAuthenticationAssertion(data []byte) (*AuthenticationAssertion, error) {
	if len(data) > maxAssertionSize {
		return nil, unacceptable("assertion of %d bytes", len(data))
	}
	outer, err := onlyElement(data, TagAuthenticationAssertion)
	if err != nil {
		return nil, err
	}
	var signed, signature element
	err = parseComposite(outer.tag, outer.value, []slot{
		{tag: TagSignedData, most: maxUint16, to: &signed},
		{tag: TagSignature, least: 1, most: maxSignature, to: &signature},
	})
	if err != nil {
		return nil, err
	}
	assertion := &AuthenticationAssertion{Signed: signed.whole, Signature: signature.value}
	if err := assertion.parse(signed.value); err != nil {
		return nil, err
	}
	return assertion, nil
}

func (s *SignedData) parse(content []byte) error {
	var aaid, info, nonce, hash, transaction, keyID, counter element
	err := parseComposite(TagSignedData, content, []slot{
		{tag: TagAAID, least: aaidSize, most: aaidSize, to: &aaid},
		{tag: TagAssertionInfo, least: authenticationInfoSize, most: authenticationInfoSize, to: &info},
		{tag: TagAuthenticatorNonce, least: minNonce, most: maxNonce, to: &nonce},
		{tag: TagFinalChallengeHash, least: hashSize, most: hashSize, to: &hash},
		{tag: TagTransactionContentHash, most: hashSize, to: &transaction},
		{tag: TagKeyID, least: minKeyID, most: maxKeyID, to: &keyID},
		{tag: TagCounters, least: authenticationCounterSize, most: authenticationCounterSize, to: &counter},
	})
	if err != nil {
		return err
	}
	s.Info = parseAssertionInfo(info.value)
	s.Nonce, s.FinalChallengeHash, s.TransactionHash = nonce.value, hash.value, transaction.value
	s.KeyID, s.SignCounter = keyID.value, binary.LittleEndian.Uint32(counter.value)
	if err := s.checkMode(); err != nil {
		return err
	}
	s.AAID, err = ParseAAID(string(aaid.value))
	return err
}

// checkMode checks that mode and transaction hash agree.
func (s *SignedData) checkMode() error {
	size := len(s.TransactionHash)
	switch {
	case s.Info.Mode == ModeVerified && size == 0, s.Info.Mode == ModeTransaction && size == hashSize:
		return nil
	}
	return unacceptable("authentication mode %d with a transaction hash of %d bytes", s.Info.Mode, size)
}

// Element returns the SIGNED_DATA for writing, with its children in the order of the
// specification. Parsing checks their sizes, this does not.
func (s SignedData) Element() Element {
	info := s.Info
	info.KeyFormat = 0
	return Element{Tag: TagSignedData, Children: []Element{
		{Tag: TagAAID, Value: []byte(s.AAID)},
		{Tag: TagAssertionInfo, Value: info.appendTo(nil)},
		{Tag: TagAuthenticatorNonce, Value: s.Nonce},
		{Tag: TagFinalChallengeHash, Value: s.FinalChallengeHash},
		{Tag: TagTransactionContentHash, Value: s.TransactionHash},
		{Tag: TagKeyID, Value: s.KeyID},
		{Tag: TagCounters, Value: binary.LittleEndian.AppendUint32(nil, s.SignCounter)},
	}}
}
