// Package session keeps who is signed in: in Redis, for every node, behind a token
// that only the client knows.
//
// A session is a value with verbs, loaded and sent through gorilla/sessions: sign in,
// sign out, touch, begin and spend a ceremony. It is never a map that anyone may
// write to. The package owns the session's cookie, its storage and a person's list of
// sessions. It knows no gin, no routes and no statuses, and nobody else's cookies.
//
// # What Redis holds
//
// A client's token is 32 random bytes. Its SHA-256 names the session's key, and with
// one of the session keys it makes, by HKDF, the key that the state is sealed under
// (AES-256-GCM): who has Redis alone can neither present a session nor read one.
//
//	cs:{tag}          a session: revision, last use, details for its owner's list, state
//	cs:{tag}:c:hash   a ceremony of it, named by the SHA-256 of its challenge
//	cs:{tag}:p:hash   a pending sign-in of it, named by that of its requestID
//	cs:{tag}:i        the names of those, with their expiry
//	cs:u:name         a person's list, named by HMAC(user): which sessions are theirs
//
// tag is the first half of the token's SHA-256 in base64url; as a hash tag it keeps a
// session and what belongs to it in one slot of a cluster. Whatever changes a session
// or anything below it is a script that first looks whether the session is there. So
// deleting that one key ends everything at once, on every node, and no late write
// brings anything back; the rest is swept up after it.
//
// A list says only which sessions exist; what there is to say about one stands beside
// it, sealed for the person, and goes when it goes. This halves what a session takes
// in Redis, and a list cannot tell of sessions that are over.
//
// # Session keys
//
// The first key seals, all open. To change it, run every node with the new key last,
// then with the new key first, and drop the old one after SESSION_LIFETIME. A person
// has a list under each key, since its name is made with it: new sessions go to the
// first key's list, all of them are read, and an old key's list ends with its last
// session.
//
// # Errors
//
// That there is no such session is a boolean. An error is an outage,
// fault.SessionUnavailable, and says nothing about who is signed in. Besides there is
// fault.RequestCancelled, where the client went away before anything was done;
// fault.SessionRequired, where a session ended while its request was under way; and
// fault.PlatformFailed, where a challenge that was spent is to begin again.
package session

import "time"

// User is a person as a session knows them.
type User struct {
	// ID is the canonical userID@domain.
	ID string
	// DisplayName and Email are the platform's, of the moment of signing in.
	// ProfileMissing says that they could not be read then; SetUser fills them in.
	DisplayName, Email string
	ProfileMissing     bool
}

// Client is what is remembered of where a session was started from, for its
// owner's eyes.
type Client struct {
	// UserAgent is kept to 120 bytes.
	UserAgent string
	// Address is the client's IP address.
	Address string
}

// Session is a session as it was when it was loaded or last changed. It belongs to
// one request and its goroutine; the Store's verbs keep it up to date.
type Session struct {
	token    token
	tag      tag
	revision uint64
	touched  time.Time
	details  []byte // sealed, as they stand in Redis
	state    state
	idle     time.Duration
	fresh    bool // made in this request
	header   bool // loaded from an Authorization header
}

// ID names the session to its owner. It is random, stays through rotation, and
// opens nothing.
func (s *Session) ID() string { return encode(s.state.ID) }

// User is who is signed in; false for a pre-session, which belongs to nobody yet.
func (s *Session) User() (User, bool) {
	return User{
		ID: s.state.UserID, DisplayName: s.state.DisplayName, Email: s.state.Email, ProfileMissing: s.state.ProfileMissing,
	}, s.state.UserID != ""
}

// Methods are the ways of signing in that were used in this session, in that order:
// password, fido2, uaf, push, otp.
func (s *Session) Methods() []string { return s.state.Methods.names() }

// AuthenticatedAt is when its person last proved who they are; zero for a
// pre-session.
func (s *Session) AuthenticatedAt() time.Time {
	if s.state.UserID == "" {
		return time.Time{}
	}
	return unix(s.state.CreatedAt + s.state.AuthenticatedAfter)
}

// CreatedAt is when the session began; rotation keeps it.
func (s *Session) CreatedAt() time.Time { return unix(s.state.CreatedAt) }

// Language is the BCP 47 tag chosen in this session; empty when none was.
func (s *Session) Language() string { return s.state.Language }

// Bearer reports whether the client carries the token itself: the session was
// started for an app, or came in an Authorization header. No cookie is sent for it.
func (s *Session) Bearer() bool { return s.state.Bearer || s.header }

// Token is the session's token, 43 characters, when this request made it; empty
// otherwise. It is for the client alone.
func (s *Session) Token() string {
	if !s.fresh {
		return ""
	}
	return s.token.text()
}

// Remaining is how long the session lives from now: without being used, and at
// most.
func (s *Session) Remaining(now time.Time) (idle, absolute time.Duration) {
	absolute = max(0, unix(s.state.end()).Sub(now))
	idle = max(0, s.touched.Add(s.idle).Sub(now))
	return min(idle, absolute), absolute
}

// String is the session's id: what is logged by accident must not hold the token.
func (s *Session) String() string { return "session " + s.ID() }

// over reports whether the session has ended at now, whatever Redis still holds.
func (s *Session) over(now time.Time) bool {
	idle, _ := s.Remaining(now)
	return idle == 0
}

// unix is a time that is kept in Unix seconds.
func unix(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
