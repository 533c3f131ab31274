// Package softuaf is a software UAF 1.1 authenticator for every algorithm, key format and
// attestation.
//
// It exists so that a ceremony can be carried through without a phone: in tests, over
// plain HTTP, and from a terminal. Its keys are not secret and its user always consents.
// It can also break one thing on purpose ([Tamper]), consistently with everything that
// comes after it, so that each of a server's checks can be triggered alone.
//
// It shares the wire format with package uaf, but no checks. Keys live in memory;
// [StoredAuthenticator] is their file format.
package softuaf
