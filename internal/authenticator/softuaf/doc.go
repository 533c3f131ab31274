// Package softuaf is a software UAF 1.1 authenticator together with the client
// around it: it answers the requests of a server with genuine assertions, for
// every algorithm, key format and attestation that package uaf verifies.
//
// It exists so that a ceremony can be carried through where there is no phone:
// in tests, over plain HTTP, and from a terminal. Its keys are nobody's secret
// and its user always consents. It can also be told to break one thing
// ([Tamper]), consistently with everything that comes after it, so that a
// server's checks can each be fired once.
//
// It shares the wire format with package uaf and no judgement. Keys live in
// memory; [Stored] is how they are kept.
package softuaf
