package uaf

// Internals that the external tests need.
var (
	ParseRegistrationAssertion   = parseRegistrationAssertion
	ParseAuthenticationAssertion = parseAuthenticationAssertion
	ParseFinalChallengeParams    = parseFinalChallengeParams
)

// MaxAssertion is the longest assertion, in bytes.
const MaxAssertion = maxAssertionSize
