package uafserver

import (
	"slices"
	"time"

	"countersign/internal/uaf"
)

// RegistrationContext is a server's knowledge for judging registrations.
type RegistrationContext struct {
	Expectation
	// Registered reports whether a key already exists.
	Registered func(uaf.KeyReference) bool
	// Now is the time at which attestation certificates must be valid.
	Now time.Time
}

// Registration is a server's record of a key. Its slices are its own.
type Registration struct {
	AAID                 uaf.AAID // as the metadata writes it
	KeyID                []byte
	PublicKey            []byte
	KeyFormat            uaf.KeyFormat
	SignCounter          uint32
	RegistrationCounter  uint32
	AuthenticatorVersion uint16
}

// maxRegistrations is the highest plausible registration counter.
const maxRegistrations = 65_535

// Key names the registered key.
func (r Registration) Key() uaf.KeyReference { return uaf.KeyReference{AAID: r.AAID, KeyID: r.KeyID} }

// VerifyRegistration judges a response that [uaf.ParseRegistrationResponse] has parsed.
// Each assertion is judged by itself, and the good ones are returned. If none is good, the
// error, a *uaf.Error, is the first one's.
func VerifyRegistration(r *uaf.Response, ctx *RegistrationContext) ([]Registration, error) {
	return verifyAll(&ctx.Expectation, r, func(a uaf.Assertion) (Registration, error) {
		return verifyRegistration(a, r.FCParams, ctx)
	})
}

// verifyRegistration judges one assertion of a response whose fcParams, given as their
// base64url text, have been checked.
func verifyRegistration(a uaf.Assertion, fcParams string, ctx *RegistrationContext) (Registration, error) {
	if err := uaf.CheckExtensions("assertion", a.Extensions); err != nil {
		return Registration{}, err
	}
	parsed, err := a.Registration()
	if err != nil {
		return Registration{}, err
	}
	statement, err := ctx.model(parsed.AAID, a.Scheme)
	if err != nil {
		return Registration{}, err
	}
	registration := Registration{
		AAID: statement.AAID, KeyID: parsed.KeyID, PublicKey: parsed.PublicKey, KeyFormat: parsed.Info.KeyFormat,
		SignCounter: parsed.SignCounter, RegistrationCounter: parsed.RegistrationCounter,
		AuthenticatorVersion: parsed.Info.AuthenticatorVersion,
	}
	if err := ctx.checkModel(statement, parsed.Info, parsed.KeyID, parsed.FinalChallengeHash, fcParams); err != nil {
		return Registration{}, err
	}
	if err := checkNewKey(statement, parsed); err != nil {
		return Registration{}, err
	}
	if err := checkAttestation(statement, parsed, ctx.Now); err != nil {
		return Registration{}, err
	}
	if ctx.Registered(registration.Key()) {
		return Registration{}, refuse(uaf.StatusUnacceptableAuthenticator, "AAID %s: the KeyID is registered already", statement.AAID)
	}
	return registration, nil
}

// checkNewKey checks that the key has a format of the metadata and can be used by one of
// the metadata's algorithms, and that the registration counter is sane. The key's own
// algorithm is unknown until it first signs: the one in the KRD is the attestation's.
func checkNewKey(statement *Statement, parsed *uaf.RegistrationAssertion) error {
	format := parsed.Info.KeyFormat
	if !slices.Contains(statement.KeyFormats, format) {
		return refuse(uaf.StatusUnacceptableKey, "AAID %s: key format 0x%03X is not the metadata's", statement.AAID, uint16(format))
	}
	refusal := refuse(uaf.StatusUnacceptableKey, "AAID %s: no algorithm of the metadata is supported", statement.AAID)
	readable := slices.ContainsFunc(statement.Algorithms, func(algorithm uaf.SignatureAlgorithm) bool {
		needed := keyTypeOf(algorithm)
		if needed == keyUnknown {
			return false
		}
		_, refusal = parsePublicKey(format, parsed.PublicKey, needed)
		return refusal == nil
	})
	if !readable {
		return refusal
	}
	if parsed.RegistrationCounter > maxRegistrations {
		return unacceptable("AAID %s: registration counter of %d", statement.AAID, parsed.RegistrationCounter)
	}
	return nil
}
