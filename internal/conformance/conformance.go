// Package conformance has the platform's contract as test cases, for the sandbox and for a
// tenant.
//
// The cases use the typed client and real ceremonies of FIDO2 and UAF 1.1, and plain HTTP
// for members of answers that the clients do not read. They remove the objects that they
// create. Differences are findings of the case; if a setting adapts Countersign, the case
// names it.
package conformance

import (
	"context"
	"maps"
	"slices"

	"countersign/internal/authenticator"
	"countersign/internal/config"
	"countersign/internal/identity/platform"
)

// Env describes a platform to the cases. They run one after the other, so that they may
// share its accounts.
type Env struct {
	// User is an active account, userID@domain, without authenticators;
	// Password its static password.
	User, Password string
	// Other is another such account, with the same password.
	Other string
	// Unknown is an account that the platform does not have.
	Unknown string
	// Disabled, Locked and Expired are accounts that may not sign in, with the same
	// password, which for Expired has expired. An empty one leaves out the cases that
	// need it.
	Disabled, Locked, Expired string
	// Ended is an account that has expired; empty leaves out its case.
	Ended string
	// Origin is an origin from which the platform accepts FIDO2 responses.
	Origin string
	// Facet is a facet that the platform trusts in UAF responses. It must also know the
	// model softuaf.DemoAAID, whose metadata statement countersign authenticator metadata
	// prints. Empty leaves out the cases of UAF.
	Facet string
	// ConditionalCreate has the platform asked whether it takes passkeys that a password
	// manager makes by itself.
	ConditionalCreate bool
	// Decide answers a pushed sign-in or transaction of User as their device would.
	// Nil leaves out the cases that need an answer.
	Decide func(ctx context.Context, requestID string, accept bool) error
}

// contract is the input of a case.
type contract struct {
	Env
	client *platform.Client
	// options are the client's, for calls that it would not make.
	options platform.Options
	// uafRequestID is the requestID of the last UAF authentication request.
	uafRequestID *string
	// at returns a client that uses other paths.
	at func(paths config.Paths) *platform.Client
}

// Identity runs the contract of the identity API: part 4.3 of the specification, and the
// assumptions in docs/platform.md. It calls tell with each result.
func Identity(ctx context.Context, o platform.Options, env Env, tell func(Result)) {
	c := contract{Env: env, client: platform.New(o), options: o, uafRequestID: new(string), at: func(paths config.Paths) *platform.Client {
		other := o
		other.Paths = maps.Clone(o.Paths)
		if other.Paths == nil {
			other.Paths = config.Paths{}
		}
		maps.Copy(other.Paths, paths)
		return platform.New(other)
	}}
	const api = "identity"
	runAll(ctx, api, c, identityFacts(env), nil, tell)
	vacant := true
	runAll(ctx, api, c, []testCase[contract]{{name: "the accounts have no authenticators, which the cases would remove", run: vacancy}}, nil, func(r Result) {
		vacant = len(r.Findings) == 0
		tell(r)
	})
	if vacant {
		runAll(ctx, api, c, ceremonyCases(env), checkNothingLeft, tell)
	}
}

// vacancy checks the precondition of the later cases: accounts without authenticators.
func vacancy(t *T, c contract) {
	for _, user := range []string{c.User, c.Other} {
		if list := c.list(t, user); len(list) > 0 {
			t.Errorf("%s has %d: name accounts without any", user, len(list))
		}
	}
}

// ceremonyCases returns the cases that register authenticators and sign in.
func ceremonyCases(env Env) []testCase[contract] {
	cases := []testCase[contract]{
		{name: "a person is who they are", fact: "I10", run: person},
		{name: "an unknown person", run: unknownPerson},
		{name: "a password signs in", fact: "I5", run: password},
		{name: "a wrong password does not", run: wrongPassword},
		{name: "a login without credentials does not", fact: "I5", run: noCredentials},
		{name: "who is shut out stays out", fact: "I10", run: shutOut},
		{name: "an unknown sign-in has no status", fact: "I6", run: unknownStatus},
		{name: "a push is pending", fact: "I5", run: pushPending},
		{name: "a pushed transaction is pending", fact: "I7", run: transactionPending},
		{name: "an address of either family", fact: "I5", run: addressFamilies},
		{name: "an account that is not locked cannot be unlocked", fact: "I10", run: unlocking},
		{name: "people are found by a part of their name", fact: "I10", run: finding},
		{name: "an activation tells how it stands", fact: "I9", run: activationProgress},

		{name: "an authenticator is registered", fact: "I1", run: registration},
		{name: "every algorithm is taken", run: algorithms},
		{name: "an attestation is taken", run: attestation},
		{name: "the payload is honoured", run: payloadHonoured},
		{name: "where a passkey is without a choice", fact: "I1", run: attachmentDefault},
		{name: "an authenticator is not registered twice", run: exclusion},
		{name: "two registrations at once", run: twoRegistrations},
		{name: "registrations that are refused", run: refusedRegistrations},
		{name: "payloads that are refused", run: refusedPayloads},
		{name: "a passkey signs in", fact: "I4", run: passkey},
		{name: "user verification is asked for", run: userVerification},
		{name: "sign-ins that are refused", run: refusedSignIns},
		{name: "no passkey, no request", run: noPasskey},

		{name: "an authenticator is renamed", fact: "I3", run: rename},
		{name: "an authenticator is removed", fact: "I3", run: remove},
		{name: "an unknown authenticator", run: unknownAuthenticator},
		{name: "a list of authenticators is one person's", fact: "I3", run: listOfOne},

		{name: "an account that has expired can be read", fact: "I10", run: endedAccount, leftOut: lacking(env.Ended == "", "no expired account is named")},
		{name: "a passkey without user presence is accepted", fact: "I15", run: conditionalCreate, leftOut: lacking(!env.ConditionalCreate, "CONDITIONAL_CREATE is off")},
		{name: "a locked account does not unlock by itself", fact: "I10", run: staysLocked, leftOut: lacking(env.Locked == "", "no locked account is named")},
		{name: "a push is answered", fact: "I6", run: pushAnswered, leftOut: lacking(env.Decide == nil, "no phone answers")},
		{name: "a pushed transaction is answered", fact: "I7", run: transactionAnswered, leftOut: lacking(env.Decide == nil, "no phone answers")},
	}
	return append(cases, unless(env.Facet == "", "no facet is named", uafCases)...)
}

// lacking returns why a case is left out, if something is lacking; "" otherwise.
func lacking(lacks bool, why string) string {
	if lacks {
		return why
	}
	return ""
}

// unless leaves the cases out if something is lacking.
func unless[C any](lacks bool, why string, cases []testCase[C]) []testCase[C] {
	out := slices.Clone(cases)
	for i := range out {
		out[i].leftOut = lacking(lacks, why)
	}
	return out
}

// uafCases are the cases of UAF 1.1.
var uafCases = []testCase[contract]{
	{name: "a UAF key is registered, and deregistered", run: uafRegistration},
	{name: "every UAF algorithm and key format is taken", fact: "U1", run: uafAlgorithms},
	{name: "a UAF key is not registered twice", run: uafExclusion},
	{name: "UAF registrations that are refused", fact: "U1", run: refusedUAFRegistrations},

	{name: "a UAF key signs in", fact: "I4", run: uafKey},
	{name: "UAF sign-ins that are refused", fact: "U1", run: refusedUAFSignIns},
	{name: "no UAF key, no request", run: noUAFKey},

	{name: "a transaction is confirmed once", fact: "I7", run: transaction},
	{name: "transactions that are refused", run: refusedTransactions},
	{name: "both protocols side by side", run: sideBySide},
}

// checkNothingLeft fails a case that left an authenticator behind.
func checkNothingLeft(t *T, c contract) {
	for _, user := range []string{c.User, c.Other} {
		if list := c.list(t, user); len(list) > 0 && !t.Failed() {
			t.Errorf("%s is left with %d authenticators", user, len(list))
		}
		c.clear(t, user)
	}
}

func (c contract) list(t *T, user string) []platform.Authenticator {
	list, err := c.client.Authenticators(t.Context(), user)
	if err != nil {
		t.Fatalf("list %s: %v", user, err)
	}
	return list
}

func (c contract) clear(t *T, user string) {
	for _, a := range c.list(t, user) {
		if _, err := c.client.RemoveAuthenticator(t.Context(), a); err != nil {
			t.Fatalf("remove %s: %v", a.ID, err)
		}
	}
}

// device returns an authenticator that verifies users and keeps discoverable credentials.
func (c contract) device(change ...func(*authenticator.Options)) *authenticator.FIDO2 {
	options := authenticator.Options{Origin: c.Origin, Discoverable: true, UserVerifying: true, Platform: true}
	for _, one := range change {
		one(&options)
	}
	return authenticator.NewFIDO2(options)
}
