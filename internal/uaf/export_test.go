package uaf

// What the tests of this package, which stand outside it, reach besides its API.
var (
	ParseRegistrationAssertion   = parseRegistrationAssertion
	ParseAuthenticationAssertion = parseAuthenticationAssertion
	ParseFinalChallengeParams    = parseFinalChallengeParams
	VerifyRegistration           = verifyRegistration
)

// RegistrationAssertion is what ParseRegistrationAssertion returns.
type RegistrationAssertion = registrationAssertion

// MaxAssertion is the longest assertion, in bytes.
const MaxAssertion = maxAssertionSize
