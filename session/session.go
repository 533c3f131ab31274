// Package session stores sessions and pending ceremonies in Redis; a session is a
// gorilla/sessions session.
//
// A session is a typed value, and the Store, which is a sessions.Store of gorilla's too,
// has the verbs: load, sign in, sign out, touch, begin and spend a record. The package
// owns the session's cookie, its storage and a person's list of sessions. It knows no
// gin, no routes, no statuses and no other cookie, and it does not know what a record
// means.
//
// # What Redis holds
//
// A client's token is 32 random bytes. Its SHA-256 names the session's key, and the
// token together with a session key seals the state (package seal): a copy of Redis can
// neither present a session nor read one.
//
//	cs:{tag}             a session: revision, last use, details for its person, state
//	cs:{tag}:kind:hash   a record of it, named by the SHA-256 of the record's key
//	cs:{tag}:i           the names of its records, with their expiry
//	cs:u:name            a person's list, named by HMAC(user): which sessions are theirs
//	cs:p:hash            a proof of a bound session that was used, for 130 s
//
// The tag is the first half of the token's SHA-256 in base64url. As a hash tag it keeps
// a session and its records in one slot of a cluster. Every script that changes a session
// or a record looks first whether the session is there. So deleting that one key ends
// everything at once, on every node, and no late write brings anything back; the records
// are deleted after it.
//
// An entry of a list says which session it is and when that began. The details of a
// session stand beside its state, sealed for the person, and go when it goes: a session
// takes half the memory, and a list tells nothing of sessions that are over.
//
// A person has 50 sessions at most. Every sign-in counts them after it has put its own on
// the list, and ends the oldest.
//
// # Session keys
//
// The first key seals, all open. To change it, run every node with the new key last,
// then with the new key first, and drop the old one after SESSION_LIFETIME. A person
// has a list under each key: new sessions go to the first key's list, all lists are read,
// and an old key's list ends with its last session.
//
// # Errors
//
// An absent session is a boolean, and an absent record is the error that the record
// names. Any other error is an outage, fault.SessionUnavailable, and says nothing about
// who is signed in; but for fault.RequestCancelled, where the client went away before
// anything was done, fault.SessionProof, where a token that is bound to a key comes
// without a good proof of it, fault.SessionRequired, where a session ended while its request was
// under way, and fault.PlatformFailed, where the platform repeats the key of a record
// that was spent.
package session

import "time"

// User is a person as stored in a session.
type User struct {
	// ID is the canonical userID@domain.
	ID string
	// DisplayName and Email are the platform's at sign-in. ProfileMissing says that they
	// could not be read then; SetUser fills them in.
	DisplayName, Email string
	ProfileMissing     bool
}

// Client is the place of the sign-in, as shown to its person.
type Client struct {
	// UserAgent is kept to 116 bytes.
	UserAgent string
	// Address is the client's IP address.
	Address string
}

// Session is a session as of its last load or change. It belongs to one request and its
// goroutine; the Store's verbs keep it up to date.
type Session struct {
	token    token
	tag      tag
	revision uint64
	touched  time.Time
	details  []byte // sealed, as stored in Redis
	state    state
	idle     time.Duration
	fresh    bool // made in this request
	header   bool // loaded from an Authorization header
}

// ID names the session to its person. It is random, stays through rotation, and
// opens nothing.
func (s *Session) ID() string { return encode(s.state.ID) }

// User returns the signed-in person, or false for a pre-session, which belongs to nobody
// yet.
func (s *Session) User() (User, bool) {
	return User{
		ID: s.state.UserID, DisplayName: s.state.DisplayName, Email: s.state.Email, ProfileMissing: s.state.ProfileMissing,
	}, s.state.UserID != ""
}

// Methods returns the ways of signing in used in this session, in order: some of
// password, fido2, uaf, push, otp.
func (s *Session) Methods() []string { return s.state.Methods.names() }

// AuthenticatedAt returns the time at which the person last proved their identity; zero
// for a pre-session.
func (s *Session) AuthenticatedAt() time.Time {
	if s.state.UserID == "" {
		return time.Time{}
	}
	return unix(s.state.CreatedAt + s.state.AuthenticatedAfter)
}

// Language returns the BCP 47 tag chosen in this session, or "".
func (s *Session) Language() string { return s.state.Language }

// Bearer reports whether the client carries the token itself: the session was
// started for an app, or came in an Authorization header. No cookie is sent for it.
func (s *Session) Bearer() bool { return s.state.Bearer || s.header }

// Token returns the session's token, 43 characters, if this request made it, or "". It is
// for the client alone.
func (s *Session) Token() string {
	if !s.fresh {
		return ""
	}
	return s.token.text()
}

// Remaining returns for how long the session lives: without further use, and at most.
func (s *Session) Remaining(now time.Time) (idle, absolute time.Duration) {
	absolute = max(0, unix(s.state.end()).Sub(now))
	idle = max(0, s.touched.Add(s.idle).Sub(now))
	return min(idle, absolute), absolute
}

// String returns the session's id, so that a session logged by accident does not reveal
// its token.
func (s *Session) String() string { return "session " + s.ID() }

// over reports whether the session has ended at now, even if Redis still holds it.
func (s *Session) over(now time.Time) bool {
	idle, _ := s.Remaining(now)
	return idle == 0
}

// unix returns the time of stored Unix seconds.
func unix(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
