package softuaf

import "countersign/internal/uaf"

// Register answers a registration request with a new key. Keys already held
// count for the policy's disallowed criteria.
func (a *Authenticator) Register(request string) (string, error) {
	parsed, err := uaf.ParseRegistrationRequest(request)
	if err != nil {
		return "", err
	}
	if !parsed.Policy.Allows(a.info(a.Keys...)) {
		return "", ErrNotAllowed
	}
	text, hash, err := a.finalChallenge(parsed.Header.AppID, parsed.Challenge)
	if err != nil {
		return "", err
	}
	signer, err := NewSigner(a.Options.Algorithm)
	if err != nil {
		return "", err
	}
	key := &Key{ID: randomBytes(32), AppID: parsed.Header.AppID, Username: parsed.Username, Signer: signer}
	assertion, err := a.registrationAssertion(key, hash)
	if err != nil {
		return "", err
	}
	a.Keys = append(a.Keys, key)
	return a.respond(parsed.Header, text, assertion)
}

func (a *Authenticator) registrationAssertion(key *Key, hash []byte) ([]byte, error) {
	public, err := key.Signer.PublicKey(a.Options.KeyFormat)
	if err != nil {
		return nil, err
	}
	if !a.Options.NoCounters {
		a.registered++
	}
	krd := uaf.KeyRegistrationData{
		AAID: a.Options.AAID,
		Info: uaf.AssertionInfo{
			AuthenticatorVersion: a.Options.Version, Mode: uaf.ModeVerified,
			Algorithm: a.Options.AttestationAlgorithm, KeyFormat: a.Options.KeyFormat,
		},
		FinalChallengeHash: hash, KeyID: key.ID,
		SignCounter: key.Counter, RegistrationCounter: a.registered, PublicKey: public,
	}
	signer := a.attestation
	if a.Options.Attestation == uaf.TagAttestationSurrogate {
		signer = key.Signer
	}
	signed, signature, err := a.sign(signer, a.Options.AttestationAlgorithm, krd.Element())
	if err != nil {
		return nil, err
	}
	attestation := uaf.Attestation{Tag: a.Options.Attestation, Signature: signature, Certificates: a.Certificates}
	return a.encode(uaf.Element{Tag: uaf.TagRegistrationAssertion, Children: []uaf.Element{signed, attestation.Element()}})
}

// Authenticate answers an authentication request with the first key that fits. If the
// request carries transactions, it confirms the first.
func (a *Authenticator) Authenticate(request string) (string, error) {
	parsed, err := uaf.ParseAuthenticationRequest(request)
	if err != nil {
		return "", err
	}
	key := a.choose(parsed)
	if key == nil {
		return "", ErrNoKey
	}
	text, hash, err := a.finalChallenge(parsed.Header.AppID, parsed.Challenge)
	if err != nil {
		return "", err
	}
	assertion, err := a.authenticationAssertion(key, hash, parsed.Transactions)
	if err != nil {
		return "", err
	}
	return a.respond(parsed.Header, text, assertion)
}

func (a *Authenticator) authenticationAssertion(key *Key, hash []byte, shown []uaf.Transaction) ([]byte, error) {
	if !a.Options.NoCounters {
		key.Counter++
	}
	data := uaf.SignedData{
		AAID: a.Options.AAID,
		Info: uaf.AssertionInfo{
			AuthenticatorVersion: a.Options.Version, Mode: uaf.ModeVerified, Algorithm: a.Options.Algorithm,
		},
		Nonce: randomBytes(8), FinalChallengeHash: hash, KeyID: key.ID, SignCounter: key.Counter,
	}
	if len(shown) > 0 {
		data.Info.Mode, data.TransactionHash = uaf.ModeTransaction, shown[0].Hash()
	}
	signed, signature, err := a.sign(key.Signer, a.Options.Algorithm, data.Element())
	if err != nil {
		return nil, err
	}
	return a.encode(uaf.Element{Tag: uaf.TagAuthenticationAssertion, Children: []uaf.Element{
		signed, {Tag: uaf.TagSignature, Value: signature},
	}})
}

func (a *Authenticator) choose(request *uaf.AuthenticationRequest) *Key {
	for _, key := range a.Keys {
		if key.AppID == request.Header.AppID && request.Policy.Allows(a.info(key)) {
			return key
		}
	}
	return nil
}

// Deregister deletes the keys that a deregistration request names and returns their
// number.
func (a *Authenticator) Deregister(request string) (int, error) {
	parsed, err := uaf.ParseDeregistrationRequest(request)
	if err != nil {
		return 0, err
	}
	var kept []*Key
	for _, key := range a.Keys {
		reference := uaf.KeyReference{AAID: a.Options.AAID, KeyID: key.ID}
		if key.AppID != parsed.Header.AppID || !parsed.Covers(reference) {
			kept = append(kept, key)
		}
	}
	deleted := len(a.Keys) - len(kept)
	a.Keys = kept
	return deleted, nil
}

// sign encodes and signs an element, and returns it in its signed form.
func (a *Authenticator) sign(signer *Signer, algorithm uaf.SignatureAlgorithm, e uaf.Element) (uaf.Element, []byte, error) {
	if a.Options.Tamper.Signed != nil {
		a.Options.Tamper.Signed(&e)
	}
	encoded, err := e.Encode()
	if err != nil {
		return e, nil, err
	}
	signature, err := signer.sign(algorithm, encoded)
	if a.Options.Tamper.Signature != nil {
		signature = a.Options.Tamper.Signature(signature)
	}
	return e, signature, err
}

func (a *Authenticator) encode(e uaf.Element) ([]byte, error) {
	if a.Options.Tamper.Assertion != nil {
		a.Options.Tamper.Assertion(&e)
	}
	encoded, err := e.Encode()
	if a.Options.Tamper.Encoded != nil {
		encoded = a.Options.Tamper.Encoded(encoded)
	}
	return encoded, err
}

func (a *Authenticator) respond(header uaf.Header, fcParams string, assertion []byte) (string, error) {
	response := uaf.Response{
		Header: header, FCParams: fcParams,
		Assertions: []uaf.Assertion{{Scheme: uaf.SchemeTLV, Text: encodeText(assertion)}},
	}
	if a.Options.Tamper.Response != nil {
		a.Options.Tamper.Response(&response)
	}
	return response.Encode()
}
