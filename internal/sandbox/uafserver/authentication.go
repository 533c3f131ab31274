package uafserver

import (
	"bytes"
	"slices"

	"countersign/internal/uaf"
)

// AuthenticationContext is a server's knowledge for judging authentications.
type AuthenticationContext struct {
	Expectation
	// Find returns the user's registration of a key, with the last stored SignCounter.
	// AAIDs are compared with [uaf.AAID.Equal].
	Find func(uaf.KeyReference) (Registration, bool)
	// Transactions are the forms of the request's transaction. With any, an assertion
	// must confirm one of them; without, none.
	Transactions []uaf.Transaction
}

// VerifyAuthentication judges a response that [uaf.ParseAuthenticationResponse] has
// parsed, by the rules of [VerifyRegistration]. It returns the registrations as they are to
// be stored, with the assertions' counters and versions.
func VerifyAuthentication(r *uaf.Response, ctx *AuthenticationContext) ([]Registration, error) {
	return verifyAll(&ctx.Expectation, r, func(a uaf.Assertion) (Registration, error) {
		return verifyAuthentication(a, r.FCParams, ctx)
	})
}

// verifyAuthentication judges one assertion of a response whose fcParams, given as their
// base64url text, have been checked.
func verifyAuthentication(a uaf.Assertion, fcParams string, ctx *AuthenticationContext) (Registration, error) {
	if err := uaf.CheckExtensions("assertion", a.Extensions); err != nil {
		return Registration{}, err
	}
	parsed, err := a.Authentication()
	if err != nil {
		return Registration{}, err
	}
	statement, err := ctx.model(parsed.AAID, a.Scheme)
	if err != nil {
		return Registration{}, err
	}
	// This comes before the policy, which names keys: an unknown key is 1481.
	registration, ok := ctx.Find(uaf.KeyReference{AAID: statement.AAID, KeyID: parsed.KeyID})
	if !ok {
		return Registration{}, refuse(uaf.StatusUnknownKeyID, "AAID %s: the user has no such KeyID", statement.AAID)
	}
	if err := ctx.checkModel(statement, parsed.Info, parsed.KeyID, parsed.FinalChallengeHash, fcParams); err != nil {
		return Registration{}, err
	}
	if err := registration.CheckCounter(parsed.SignCounter); err != nil {
		return Registration{}, err
	}
	if err := ctx.checkConfirmed(parsed); err != nil {
		return Registration{}, err
	}
	if err := checkKeySignature(registration, parsed); err != nil {
		return Registration{}, err
	}
	registration.SignCounter, registration.AuthenticatorVersion = parsed.SignCounter, parsed.Info.AuthenticatorVersion
	return registration, nil
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

// checkConfirmed checks that one of the transactions was signed, or that none was asked for.
func (ctx *AuthenticationContext) checkConfirmed(parsed *uaf.AuthenticationAssertion) error {
	requested, confirmed := len(ctx.Transactions) > 0, parsed.Info.Mode == uaf.ModeTransaction
	switch {
	case requested && !confirmed:
		return unacceptable("the transaction was not confirmed")
	case confirmed && !requested:
		return unacceptable("a transaction was confirmed that was not asked for")
	case confirmed && !slices.ContainsFunc(ctx.Transactions, func(t uaf.Transaction) bool { return bytes.Equal(t.Hash(), parsed.TransactionHash) }):
		return unacceptable("another transaction was confirmed")
	}
	return nil
}

func checkKeySignature(registration Registration, parsed *uaf.AuthenticationAssertion) error {
	key, err := parsePublicKey(registration.KeyFormat, registration.PublicKey, keyTypeOf(parsed.Info.Algorithm))
	if err != nil {
		return refuseCause(uaf.StatusUnacceptableAlgorithm, err, "the key is not for algorithm %d", parsed.Info.Algorithm)
	}
	if err := key.verify(parsed.Info.Algorithm, parsed.Signed, parsed.Signature); err != nil {
		return refuseCause(uaf.StatusUnacceptableContent, err, "signature")
	}
	return nil
}
