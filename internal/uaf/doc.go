// Package uaf implements FIDO UAF 1.1 for relays and clients: messages, assertions, policies,
// facets.
//
// It owns the formats that the published protocol, authenticator-commands and registry
// documents define (docs/platform.md U1), one file per format, and does no I/O. Every
// refusal is an *Error with the protocol's status code.
//
// A relay parses passing messages with [ReadRequest] and [ReadResponse], and verifies no
// signature. An authenticator parses requests and builds assertions with [Element],
// [KeyRegistrationData] and [SignedData]. The server half, which trusts models and verifies
// signatures, is the sandbox's package uafserver.
package uaf
