package uaf

// Internals that the external tests need.
var (
	ParseRegistrationAssertion   = parseRegistrationAssertion
	ParseAuthenticationAssertion = parseAuthenticationAssertion
	ParseFinalChallengeParams    = parseFinalChallengeParams
	VerifyRegistration           = verifyRegistration
)

// RegistrationAssertion is the type that ParseRegistrationAssertion returns.
type RegistrationAssertion = registrationAssertion

// MaxAssertion is the longest assertion, in bytes.
const MaxAssertion = maxAssertionSize
