package signing

import (
	"encoding/base64"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

// The lifetimes of a token, and of a session without requests (docs/platform.md S9).
const (
	tokenLifetime   = 30 * time.Minute
	sessionLifetime = 30 * time.Minute
)

// sessionCookie carries a signer's session.
const sessionCookie = "ESIGNLIVE_SESSION_ID"

// access is the right that a token, a link or a session gives: a package for a signer.
type access struct {
	packageID string
	party
	until  time.Time // zero: without end
	single bool      // a token for one use
}

// sessions holds the tokens and sessions of signers. It is safe for concurrent use.
type sessions struct {
	now func() time.Time

	mu     sync.Mutex
	tokens map[string]access
	open   map[string]access
	links  map[access]string
}

func (s *sessions) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens, s.open, s.links = map[string]access{}, map[string]access{}, map[access]string{}
}

// token returns a new token, base64 of a UUID.
func (s *sessions) token(a access, single bool) string {
	value := base64.StdEncoding.EncodeToString([]byte(uuid.NewString()))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	a.until, a.single = s.now().Add(tokenLifetime), single
	s.tokens[value] = a
	return value
}

// link returns the token of a signer's signing URL, which is always the same and never
// expires.
func (s *sessions) link(packageID string, to party) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := access{packageID: packageID, party: to}
	if s.links[a] == "" {
		s.links[a] = base64.RawURLEncoding.EncodeToString([]byte(uuid.NewString()))
		s.tokens[s.links[a]] = a
	}
	return s.links[a]
}

// begin spends a token, or uses a link, and returns the id of a new session;
// it returns false if the token is invalid.
func (s *sessions) begin(token string) (string, access, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	a, ok := s.tokens[token]
	if !ok {
		return "", access{}, false
	}
	if a.single {
		delete(s.tokens, token)
	}
	id := uuid.NewString()
	a.until, a.single = s.now().Add(sessionLifetime), false
	s.open[id] = a
	return id, a, true
}

// of returns the request's session, which the request prolongs.
func (s *sessions) of(r *http.Request) (access, bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return access{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	a, ok := s.open[cookie.Value]
	if ok {
		a.until = s.now().Add(sessionLifetime)
		s.open[cookie.Value] = a
	}
	return a, ok
}

// forget drops expired entries; s.mu is held.
func (s *sessions) forget() {
	now := s.now()
	expired := func(_ string, a access) bool { return !a.until.IsZero() && !now.Before(a.until) }
	maps.DeleteFunc(s.tokens, expired)
	maps.DeleteFunc(s.open, expired)
}
