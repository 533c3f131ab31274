// Package signin turns a sign-in attempt into a result, without HTTP. It knows passwords,
// one-time passwords, FIDO2, UAF and pushes, but no HTTP, cookies, JSON or pages.
//
// It does not reveal which accounts exist and their states: every refusal is
// sign-in.refused, and accounts that cannot sign in get decoys. A signed-in owner of the
// account, and everybody if the installation reveals account states, gets the reason
// instead of a decoy.
//
// User ids are canonical: the caller folds them.
package signin

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/account"
	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/session"
)

// Service signs people in. It is safe for concurrent use.
type Service struct {
	Identity     *platform.Client
	Sessions     *session.Store
	RelyingParty ceremony.RelyingParty
	Decoys       *decoy.Service
	Limits       Limits
	// Passkeys keep what a sign-in by a passkey tells of the person's passkeys; nil keeps nothing.
	Passkeys *account.Passkeys
	// PushProtection is how people protect their answer to a push, where the client does not
	// choose more: a word of platform.PushWord.
	PushProtection string
	// RevealPasswordExpired tells a person who signs in with an expired password so.
	RevealPasswordExpired bool
	Now                   func() time.Time
}

// Client is the client of a request.
type Client struct {
	// Client holds its address and device.
	session.Client
	// Session is the request's session: signed in, a pre-session, or nil.
	Session *session.Session
	// Bearer says that the client carries its token itself.
	Bearer bool
	// Key is the thumbprint of the key that a session of the client is bound to, or nil.
	Key []byte
	// RevealAccountState says that the installation reveals account states.
	RevealAccountState bool
	// KnownTo is the account in which the client's browser was signed in before, by a proof
	// that we gave it; "" without one. It tells that the account exists, and no more.
	KnownTo string
}

// person returns the signed-in person, or false.
func (c Client) person() (session.User, bool) {
	if c.Session == nil {
		return session.User{}, false
	}
	return c.Session.User()
}

// owns reports whether the client is signed in as user.
func (c Client) owns(user string) bool {
	person, ok := c.person()
	return ok && person.ID == user
}

// seesState reports whether the client may know the state of user's account.
func (c Client) seesState(user string) bool { return c.RevealAccountState || c.owns(user) }

// Result is the result of an attempt, or of a push.
type Result struct {
	Status platform.SessionStatus
	// Session is the new session if Status is accepted, the session that the push waits
	// under if an attempt is pending, else nil.
	Session *session.Session
	// Members are the members of the platform's answer that the client may see.
	Members map[string]any
	// Push is the push that Poll found decided or over; else nil.
	Push *PendingPush
	// Ended is how the platform says that it ended, if the client is told something else.
	Ended platform.SessionStatus
	// Cause is the platform's reason, for the log alone, if the client is told something
	// else; else nil.
	Cause error
}

// profileTimeout limits how long a sign-in waits for the person's name.
const profileTimeout = 2 * time.Second

// begin begins the session of an authenticated person. It reads the name and the state of
// the account from the platform. A platform that does not answer does not prevent the
// sign-in; one that says that the account cannot be used does (sign-in.refused), and so does
// an answer that cannot be read (platform.failed): it might say the same. passkey is the one
// that was used, nil for other ways.
func (s *Service) begin(ctx context.Context, c Client, user, method string, passkey *session.Passkey) (*session.Session, error) {
	person := session.User{ID: user, ProfileMissing: true}
	profileCtx, cancel := context.WithTimeout(ctx, profileTimeout)
	defer cancel()
	switch now, err := s.Identity.AccountStatusAtSignIn(profileCtx, user); {
	case platform.StateUnreadable(err):
		return nil, err
	case now.Lost != "":
		return nil, unusable(now.Lost)
	case err == nil:
		person = session.User{ID: user, DisplayName: now.DisplayName, Email: now.EmailAddress}
	}
	return s.Sessions.SignIn(ctx, session.SignIn{
		Old: c.Session, User: person, Method: method, Passkey: passkey, Client: c.Client, Bearer: c.Bearer, Key: c.Key,
	})
}

// unusable returns the refusal of an account in state, one that cannot be used.
func unusable(state string) error {
	refusal := fault.Wrap(fault.SignInRefused, fmt.Errorf("getUser: the account is %s", state))
	refusal.Specific = map[string]fault.Key{
		platform.Disabled: fault.AccountDisabled, platform.Locked: fault.AccountLocked, platform.Unknown: fault.AccountUnknown,
	}[state]
	return refusal
}

// restart returns err after a ceremony was spent: sending the same again could only find
// it spent.
func restart(err error) error { return fault.From(err).Restart() }
