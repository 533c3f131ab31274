// Package conformance is the platform's contract as cases that any platform has
// to pass: the sandbox in every test run, and a real tenant when its address is
// given.
//
// The cases use the typed client and real ceremonies of FIDO2 and UAF 1.1. They
// remove what they register.
package conformance

import (
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/identity"
)

// Env is what the cases need to know of a platform. They run one after the
// other, so that they may share its accounts.
type Env struct {
	// User is an active account, userID@domain, without authenticators;
	// Password its static password.
	User, Password string
	// Other is another such account, with the same password.
	Other string
	// Unknown is an account that the platform does not have.
	Unknown string
	// ShutOut are accounts that may not sign in, with the same password.
	ShutOut []string
	// Origin is one that the platform takes FIDO2 responses from.
	Origin string
	// Facet is one that the platform trusts in UAF responses, where it also knows
	// the model softuaf.DemoAAID, whose metadata statement countersign
	// authenticator metadata prints. Empty leaves out the cases of UAF.
	Facet string
	// Decide answers a pushed sign-in or transaction of User as their device would.
	// Nil leaves out the cases that need an answer.
	Decide func(t *testing.T, requestID string, accept bool)
}

// contract is what a case gets.
type contract struct {
	Env
	client *identity.Client
}

type testCase struct {
	name string
	run  func(*testing.T, contract)
}

// Identity runs the contract of the identity API: part 4.3 of the
// specification, and the identity facts.
func Identity(t *testing.T, client *identity.Client, env Env) {
	c := contract{env, client}
	for _, user := range []string{c.User, c.Other} {
		if list := c.list(t, user); len(list) > 0 {
			// The cases would remove them.
			t.Fatalf("%s has %d authenticators, the cases need an account without any", user, len(list))
		}
	}
	cases := []testCase{
		{"a person is who they are", person},
		{"an unknown person", unknownPerson},
		{"a password signs in", password},
		{"a wrong password does not", wrongPassword},
		{"a login without credentials does not", noCredentials},
		{"who is shut out stays out", shutOut},
		{"an unknown sign-in has no status", unknownStatus},
		{"a push is pending", pushPending},

		{"an authenticator is registered", registration},
		{"every algorithm is taken", algorithms},
		{"an attestation is taken", attestation},
		{"the payload is honoured", payload},
		{"an authenticator is not registered twice", exclusion},
		{"two registrations at once", twoRegistrations},
		{"registrations that are refused", refusedRegistrations},
		{"payloads that are refused", refusedPayloads},

		{"a passkey signs in", passkey},
		{"user verification is asked for", userVerification},
		{"sign-ins that are refused", refusedSignIns},
		{"no passkey, no request", noPasskey},

		{"an authenticator is renamed", rename},
		{"an authenticator is removed", remove},
		{"an unknown authenticator", unknownAuthenticator},
	}
	if env.Facet != "" {
		cases = append(cases, uafCases...)
	}
	if env.Decide != nil {
		cases = append(cases, testCase{"a push is answered", pushAnswered}, testCase{"a pushed transaction is answered", transactionAnswered})
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			one.run(t, c)
			c.checkNothingLeft(t)
		})
	}
}

// uafCases are the cases of UAF 1.1.
var uafCases = []testCase{
	{"a UAF key is registered, and deregistered", uafRegistration},
	{"every UAF algorithm and key format is taken", uafAlgorithms},
	{"a UAF key is not registered twice", uafExclusion},
	{"UAF registrations that are refused", refusedUAFRegistrations},

	{"a UAF key signs in", uafKey},
	{"UAF sign-ins that are refused", refusedUAFSignIns},
	{"no UAF key, no request", noUAFKey},

	{"a transaction is confirmed once", transaction},
	{"transactions that are refused", refusedTransactions},
	{"both protocols side by side", sideBySide},
}

// checkNothingLeft fails a case that left an authenticator behind.
func (c contract) checkNothingLeft(t *testing.T) {
	t.Helper()
	for _, user := range []string{c.User, c.Other} {
		if list := c.list(t, user); len(list) > 0 && !t.Failed() {
			t.Errorf("%s is left with %d authenticators", user, len(list))
		}
		c.clear(t, user)
	}
}

func (c contract) list(t *testing.T, user string) []identity.Authenticator {
	t.Helper()
	list, err := c.client.Authenticators(t.Context(), user)
	if err != nil {
		t.Fatalf("list %s: %v", user, err)
	}
	return list
}

func (c contract) clear(t *testing.T, user string) {
	t.Helper()
	for _, a := range c.list(t, user) {
		if _, err := c.client.RemoveAuthenticator(t.Context(), user, a.ID); err != nil {
			t.Fatalf("remove %s: %v", a.ID, err)
		}
	}
}

// device is an authenticator that verifies users and keeps discoverable
// credentials.
func (c contract) device(change ...func(*authenticator.Options)) *authenticator.FIDO2 {
	options := authenticator.Options{Origin: c.Origin, Discoverable: true, UserVerifying: true}
	for _, one := range change {
		one(&options)
	}
	return authenticator.NewFIDO2(options)
}
