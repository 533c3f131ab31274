// Package signin signs people in: an attempt comes in, a result goes out. It knows
// passwords, one-time passwords, FIDO2, UAF and pushes, and nothing of HTTP, cookies,
// JSON and pages.
//
// Nobody learns from it which accounts there are and in what state: every refusal is
// sign-in.refused, and accounts that cannot sign in get decoys.
// An account's owner who is signed in, and everybody where the installation reveals
// account states, gets no decoy but the reason.
//
// User ids are canonical: folding them is for the caller.
package signin

import (
	"context"
	"time"

	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/session"
)

// Service signs people in. It is safe for concurrent use.
type Service struct {
	Identity     *identity.Client
	Sessions     *session.Store
	RelyingParty ceremony.RelyingParty
	Decoys       *decoy.Service
	Limits       Limits
	// PushTTL is how long a person has to decide on their device.
	PushTTL time.Duration
	// RevealPasswordExpired tells whoever signs in with an expired password that it is.
	RevealPasswordExpired bool
	Now                   func() time.Time
}

// Client is who asks.
type Client struct {
	// Client is where they ask from.
	session.Client
	// Session is what the request came with: signed in, a pre-session, or nil.
	Session *session.Session
	// Bearer says that the client carries its token itself.
	Bearer bool
	// RevealAccountState says that the installation conceals no account's state.
	RevealAccountState bool
}

// person is who is signed in; false when nobody is.
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

// knows reports whether the state of user's account is no secret from the client.
func (c Client) knows(user string) bool { return c.RevealAccountState || c.owns(user) }

// Result is what came of an attempt, or of a push.
type Result struct {
	Status identity.SessionStatus
	// Session is the one that begins where Status is accepted; the one that the push
	// waits under where an attempt is pending; else nil.
	Session *session.Session
	// Members are those of the platform's answer that the client may see.
	Members map[string]any
	// Push is the one that Poll found decided or over; nil else.
	Push *PendingPush
	// Cause is for the log alone: what the platform said where the client is told
	// something else; nil where it is not.
	Cause error
}

// profileTimeout is how long who is signing in waits to be called by name.
const profileTimeout = 2 * time.Second

// begin begins the session of a person who has proved who they are. What they are
// called is read from the platform; a failure of that call alone keeps nobody out.
func (s *Service) begin(ctx context.Context, c Client, user, method string) (*session.Session, error) {
	person := session.User{ID: user, ProfileMissing: true}
	profileCtx, cancel := context.WithTimeout(ctx, profileTimeout)
	defer cancel()
	if profile, err := s.Identity.User(profileCtx, user); err == nil {
		person = session.User{ID: user, DisplayName: profile.DisplayName, Email: profile.EmailAddress}
	}
	return s.Sessions.SignIn(ctx, session.SignIn{
		Old: c.Session, User: person, Method: method, Client: c.Client, Bearer: c.Bearer,
	})
}

// ensureSession is the client's session, or a new pre-session.
func (s *Service) ensureSession(ctx context.Context, c Client) (*session.Session, error) {
	if c.Session != nil {
		return c.Session, nil
	}
	return s.Sessions.StartPre(ctx, c.Bearer)
}

// restart is err after a ceremony was spent: to send the same again could only find it
// spent.
func restart(err error) error { return fault.From(err).Restart() }
