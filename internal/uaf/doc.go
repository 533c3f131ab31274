// Package uaf implements FIDO UAF 1.1: messages, assertions, metadata, policies, verification.
//
// It owns what the published protocol, authenticator-commands and registry documents
// define (docs/platform.md U1), one file per format, and does no I/O: no storage, no clock,
// no network; it only remembers good attestation chains. A server's knowledge (the issued
// challenges, a user's keys, the trusted facets) comes in through a context struct, and
// every refusal goes out as an *Error with the protocol's status code.
//
// There are three ways to use it. A relay parses passing messages with [ReadRequest] and
// [ReadResponse], and verifies no signature. A server issues requests
// ([RegistrationRequest], [AuthenticationRequest], [DeregistrationRequest]) and judges
// the answers with [VerifyRegistrationResponse] and [VerifyAuthenticationResponse]. An
// authenticator parses the requests and builds assertions with [Element],
// [KeyRegistrationData] and [SignedData].
//
// It does not know who the user is, when a challenge expires or whether it was spent: the
// caller does.
package uaf
