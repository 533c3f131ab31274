package uaf

import "bytes"

// AuthenticationContext is a server's knowledge for judging authentications.
type AuthenticationContext struct {
	Expectation
	// Find returns the user's registration of a key, with the last stored SignCounter.
	// AAIDs are compared with [AAID.Equal].
	Find func(KeyReference) (Registration, bool)
	// Transactions are the forms of the request's transaction. With any, an assertion
	// must confirm one of them; without, none.
	Transactions []Transaction
}

// Authentication is a good assertion. The server stores SignCounter and
// AuthenticatorVersion with the key.
type Authentication struct {
	Registration         Registration
	SignCounter          uint32
	AuthenticatorVersion uint16
	// Confirmed is the transaction that the user saw, nil without one.
	Confirmed *Transaction
}

// VerifyAuthenticationResponse judges a response that
// [ParseAuthenticationResponse] has parsed, by the rules of
// [VerifyRegistrationResponse].
func VerifyAuthenticationResponse(r *Response, ctx *AuthenticationContext) ([]Authentication, error) {
	return verifyAll(&ctx.Expectation, r, StatusUnacceptableContent, func(a Assertion) (Authentication, error) {
		return verifyAuthentication(a, r.FCParams, ctx)
	})
}

func (a Authentication) key() Registration { return a.Registration }

func (a Authentication) info(metadata *MetadataSet) AuthenticatorInfo {
	statement, _ := metadata.Lookup(a.Registration.AAID)
	return statement.info(a.AuthenticatorVersion, a.Registration.KeyID, []Tag{a.Registration.Attestation})
}

// verifyAuthentication judges one assertion of a response whose fcParams, given as their
// base64url text, have been checked.
func verifyAuthentication(a Assertion, fcParams string, ctx *AuthenticationContext) (Authentication, error) {
	data, err := a.open()
	if err != nil {
		return Authentication{}, err
	}
	parsed, err := parseAuthenticationAssertion(data)
	if err != nil {
		return Authentication{}, err
	}
	statement, err := ctx.model(parsed.AAID, a.Scheme)
	if err != nil {
		return Authentication{}, err
	}
	authentication := Authentication{SignCounter: parsed.SignCounter, AuthenticatorVersion: parsed.Info.AuthenticatorVersion}
	// This comes before the policy, which names keys: an unknown key is 1481.
	if authentication.Registration, err = ctx.find(statement, parsed.KeyID); err != nil {
		return Authentication{}, err
	}
	info, hash := authentication.info(ctx.Metadata), parsed.FinalChallengeHash
	if err := ctx.checkModel(statement, info, parsed.Info, hash, fcParams); err != nil {
		return Authentication{}, err
	}
	if err := authentication.Registration.CheckCounter(parsed.SignCounter); err != nil {
		return Authentication{}, err
	}
	if authentication.Confirmed, err = ctx.confirmed(parsed); err != nil {
		return Authentication{}, err
	}
	if err := checkKeySignature(authentication.Registration, parsed); err != nil {
		return Authentication{}, err
	}
	return authentication, nil
}

func (ctx *AuthenticationContext) find(statement *Statement, keyID []byte) (Registration, error) {
	if ctx.Find != nil {
		if registration, ok := ctx.Find(KeyReference{AAID: statement.AAID, KeyID: keyID}); ok {
			registration.AAID, registration.KeyID = statement.AAID, keyID
			return registration, nil
		}
	}
	return Registration{}, refuse(StatusUnknownKeyID, "AAID %s: the user has no such KeyID", statement.AAID)
}

// CheckCounter refuses a sign counter that is not greater than the stored one, unless the
// authenticator does not count and both are zero. Check it again when storing the
// counter, because two assertions may have been judged by the same record.
func (r Registration) CheckCounter(signCounter uint32) error {
	if signCounter > r.SignCounter || signCounter == 0 && r.SignCounter == 0 {
		return nil
	}
	return unacceptable("AAID %s: sign counter %d after %d", r.AAID, signCounter, r.SignCounter)
}

// confirmed finds the transaction whose hash was signed.
func (ctx *AuthenticationContext) confirmed(parsed *authenticationAssertion) (*Transaction, error) {
	requested, confirmed := len(ctx.Transactions) > 0, parsed.Info.Mode == ModeTransaction
	switch {
	case requested && !confirmed:
		return nil, unacceptable("the transaction was not confirmed")
	case confirmed && !requested:
		return nil, unacceptable("a transaction was confirmed that was not asked for")
	case !confirmed:
		return nil, nil
	}
	for i := range ctx.Transactions {
		if bytes.Equal(ctx.Transactions[i].Hash(), parsed.TransactionHash) {
			return &ctx.Transactions[i], nil
		}
	}
	return nil, unacceptable("another transaction was confirmed")
}

func checkKeySignature(registration Registration, parsed *authenticationAssertion) error {
	key, err := parsePublicKey(registration.KeyFormat, registration.PublicKey, parsed.Info.Algorithm.keyType())
	if err != nil {
		return refuseCause(StatusUnacceptableAlgorithm, err, "the key is not for algorithm %d", parsed.Info.Algorithm)
	}
	if err := key.verify(parsed.Info.Algorithm, parsed.Signed, parsed.Signature); err != nil {
		return refuseCause(StatusUnacceptableContent, err, "signature")
	}
	return nil
}
