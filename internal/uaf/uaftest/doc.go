// Package uaftest is a software UAF authenticator with its client: it answers
// the requests of a server with genuine assertions, for every algorithm, key
// format and attestation that package uaf verifies.
//
// Its keys live in memory and its user always consents, so it is for tests and
// demonstrations. It is the other side of package uaf's verification and shares
// the wire format with it, no judgement: what it sends can be tampered with at
// every step, see [Tamper].
package uaftest
