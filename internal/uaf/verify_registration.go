package uaf

import (
	"slices"
	"time"
)

// RegistrationContext is a server's knowledge for judging registrations.
type RegistrationContext struct {
	Expectation
	// Registered reports whether a key already exists; nil if none does.
	Registered func(KeyReference) bool
	// Now is the time at which attestation certificates must be valid.
	Now time.Time
}

// Registration is a server's record of a key. Its slices are its own.
type Registration struct {
	AAID                 AAID // as the metadata writes it
	KeyID                []byte
	PublicKey            []byte
	KeyFormat            KeyFormat
	SignCounter          uint32
	RegistrationCounter  uint32
	AuthenticatorVersion uint16
	Attestation          Tag
	Displays             []PNGCharacteristics
}

// Key names the registered key.
func (r Registration) Key() KeyReference { return KeyReference{AAID: r.AAID, KeyID: r.KeyID} }

// VerifyRegistrationResponse judges a response that [ParseRegistrationResponse] has
// parsed. Each assertion is judged by itself. The good ones are returned; they must
// satisfy the policy together. If none is good, the error, an *Error, is the first one's.
func VerifyRegistrationResponse(r *Response, ctx *RegistrationContext) ([]Registration, error) {
	return verifyAll(&ctx.Expectation, r, StatusUnacceptableAuthenticator, func(a Assertion) (Registration, error) {
		return verifyRegistration(a, r.FCParams, ctx)
	})
}

// verified is what comes of a good assertion.
type verified interface {
	// key returns the registration of the assertion's key.
	key() Registration
	info(metadata *MetadataSet) AuthenticatorInfo
}

// verifyAll judges a response: twice is the status of an assertion whose key another one has.
func verifyAll[T verified](e *Expectation, r *Response, twice Status, verify func(Assertion) (T, error)) ([]T, error) {
	if err := e.check(r); err != nil {
		return nil, err
	}
	var good []T
	var authenticators []AuthenticatorInfo
	judge := func(a Assertion) error {
		one, err := verify(a)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(good, func(other T) bool { return other.key().sameKey(one.key()) }) {
			return refuse(twice, "AAID %s: the same KeyID twice", one.key().AAID)
		}
		good = append(good, one)
		authenticators = append(authenticators, one.info(e.Metadata))
		return nil
	}
	if err := requireOne(r.Assertions, judge); err != nil {
		return nil, err
	}
	if !e.Policy.Satisfied(authenticators) {
		return nil, refuse(StatusUnacceptableAuthenticator, "the policy asks for more than one authenticator")
	}
	return good, nil
}

// verifyRegistration judges one assertion of a response whose fcParams, given as their
// base64url text, have been checked.
func verifyRegistration(a Assertion, fcParams string, ctx *RegistrationContext) (Registration, error) {
	data, err := a.open()
	if err != nil {
		return Registration{}, err
	}
	parsed, err := parseRegistrationAssertion(data)
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
		Attestation:          parsed.Attestation.Tag, Displays: a.Displays,
	}
	hash := parsed.FinalChallengeHash
	if err := ctx.checkModel(statement, registration.info(ctx.Metadata), parsed.Info, hash, fcParams); err != nil {
		return Registration{}, err
	}
	if err := checkNewKey(statement, parsed); err != nil {
		return Registration{}, err
	}
	if err := checkAttestation(statement, parsed, ctx.Now); err != nil {
		return Registration{}, err
	}
	if ctx.Registered != nil && ctx.Registered(registration.Key()) {
		return Registration{}, refuse(StatusUnacceptableAuthenticator, "AAID %s: the KeyID is registered already", statement.AAID)
	}
	return registration, nil
}

func (r Registration) key() Registration { return r }

func (r Registration) info(metadata *MetadataSet) AuthenticatorInfo {
	statement, _ := metadata.Lookup(r.AAID)
	return statement.info(r.AuthenticatorVersion, r.KeyID, []Tag{r.Attestation})
}

func (r Registration) sameKey(other Registration) bool {
	return r.AAID.Equal(other.AAID) && slices.Equal(r.KeyID, other.KeyID)
}

// checkNewKey checks that the key has a format of the metadata and can be used by one of
// the metadata's algorithms, and that the registration counter is sane. The key's own
// algorithm is unknown until it first signs: the one in the KRD is the attestation's.
func checkNewKey(statement *Statement, parsed *registrationAssertion) error {
	format := parsed.Info.KeyFormat
	if !slices.Contains(statement.KeyFormats, format) {
		return refuse(StatusUnacceptableKey, "AAID %s: key format 0x%03X is not the metadata's", statement.AAID, uint16(format))
	}
	refusal := refuse(StatusUnacceptableKey, "AAID %s: no algorithm of the metadata is supported", statement.AAID)
	readable := slices.ContainsFunc(statement.Algorithms, func(algorithm SignatureAlgorithm) bool {
		if algorithm.keyType() == keyUnknown {
			return false
		}
		_, refusal = parsePublicKey(format, parsed.PublicKey, algorithm.keyType())
		return refusal == nil
	})
	if !readable {
		return refusal
	}
	if parsed.RegistrationCounter > maxPlausibleRegistrationUses {
		return unacceptable("AAID %s: registration counter of %d", statement.AAID, parsed.RegistrationCounter)
	}
	return nil
}
