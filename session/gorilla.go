package session

import (
	"errors"
	"net/http"
	"strings"

	"countersign/internal/dpop"

	"github.com/gorilla/sessions"
	"github.com/redis/go-redis/v9"
)

var _ sessions.Store = (*Store)(nil)

// valueKey is the one key under which a gorilla session holds its *Session.
type valueKey struct{}

// CookieName returns the name of the session's cookie. On https it has the prefix that
// makes browsers insist on Secure, Path=/, no Domain and HttpOnly.
func CookieName(secure bool) string {
	if secure {
		return "__Host-Http-countersign"
	}
	return "countersign"
}

func cookieOptions(secure bool) sessions.Options {
	return sessions.Options{Path: "/", Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// Get returns the request's session, loaded once and then remembered by gorilla's
// registry. It serves code written for gorilla; our own code uses Load.
func (s *Store) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New loads the session that the request presents, in its Authorization header or in the
// cookie called name. IsNew is true if there was none. It always returns a session; the
// error is an outage.
func (s *Store) New(r *http.Request, name string) (*sessions.Session, error) {
	wrapped := sessions.NewSession(s, name)
	options := s.cookie
	wrapped.Options, wrapped.IsNew = &options, true
	sess, ok, err := s.presented(r, name, nil)
	if err != nil || !ok {
		return wrapped, err
	}
	wrapped.ID, wrapped.IsNew = sess.ID(), false
	wrapped.Values[valueKey{}] = sess
	return wrapped, nil
}

// Save sends the cookie of a session that this request made, but not if the client
// carries the token itself or has the cookie already. With a negative MaxAge it signs the
// session out and expires the cookie. Every verb writes to Redis at once, so Save has no
// state to write. A value put into the gorilla session is an error, since it would be
// lost.
func (s *Store) Save(r *http.Request, w http.ResponseWriter, wrapped *sessions.Session) error {
	sess, _ := wrapped.Values[valueKey{}].(*Session)
	for key := range wrapped.Values {
		if key != (valueKey{}) {
			return errors.New("session: a gorilla session holds no other values")
		}
	}
	if wrapped.Options.MaxAge < 0 {
		if sess != nil {
			if err := s.SignOut(r.Context(), sess); err != nil {
				return err
			}
		}
		http.SetCookie(w, sessions.NewCookie(wrapped.Name(), "", wrapped.Options))
		return nil
	}
	if sess != nil && sess.needsCookie() {
		http.SetCookie(w, sessions.NewCookie(wrapped.Name(), sess.token.text(), wrapped.Options))
	}
	return nil
}

// Load returns the session that the request presents, or false if it presents no live
// one. It asks Redis each time, so a request keeps its session; a proof is good for one
// Load. The error is fault.SessionProof if the token is bound to a key and the request
// does not prove to hold it, or the other way round; any other is an outage.
//
// A request with an Authorization header is judged by it alone, and its cookie is
// ignored. Bearer with the token is accepted anywhere, and Basic with the unencoded token
// below /api/, where the platform's SDKs send a key so, unless Options.NoBasic. DPoP with
// the token needs a proof beside it. Anything else presents no session.
//
// Commands given along go in the same round trip, and have their own replies or errors; without
// a token to look up they are not sent.
func (s *Store) Load(r *http.Request, along ...redis.Cmder) (*Session, bool, error) {
	return s.presented(r, s.name, along)
}

// presented is Load with a cookie of another name.
func (s *Store) presented(r *http.Request, name string, along []redis.Cmder) (*Session, bool, error) {
	c := credentialOf(r, name)
	if c.header && dpop.HasMultiple(r) {
		return nil, false, unproven(&dpop.Refusal{Code: dpop.InvalidProof, Reason: "several proofs"})
	}
	if c.scheme == schemeDPoP {
		return s.proven(r, c, along)
	}
	t, ok := parseToken(c.text)
	if !ok || c.scheme == schemeBasic && s.noBasic {
		return nil, false, nil
	}
	sess, ok, err := s.load(r.Context(), t, along...)
	if ok && sess.Bound() {
		return nil, false, unproved(r)
	}
	if ok {
		sess.header = c.header
	}
	return sess, ok, err
}

// proven is presented for the scheme DPoP: the proof is judged before Redis is asked.
func (s *Store) proven(r *http.Request, c credential, along []redis.Cmder) (*Session, bool, error) {
	proof, err := s.proofs.Verify(r, c.text)
	if err != nil {
		return nil, false, unproven(err)
	}
	t, ok := parseToken(c.text)
	if !ok {
		return nil, false, nil
	}
	sess, ok, err := s.loadProven(r.Context(), t, proof, along...)
	if ok {
		sess.header = true
	}
	return sess, ok, err
}

// SendCookie sends the cookie of a session that this request made, but not if the client
// carries the token itself or has the cookie already. With Options.BindBrowsers it asks the
// browser to bind the session of a person.
func (s *Store) SendCookie(w http.ResponseWriter, sess *Session) {
	if sess.needsCookie() {
		options := s.cookie
		http.SetCookie(w, sessions.NewCookie(s.name, sess.token.text(), &options))
		s.offerBinding(w, sess)
	}
}

// needsCookie reports whether the browser has yet to receive the session's token.
func (s *Session) needsCookie() bool { return s.fresh && !s.Bearer() }

// HasCookie reports whether r carries a session cookie, even of a session that is over.
func (s *Store) HasCookie(r *http.Request) bool {
	_, err := r.Cookie(s.name)
	return err == nil
}

// ExpireCookie tells the browser to forget the cookie.
func (s *Store) ExpireCookie(w http.ResponseWriter) {
	expired := s.cookie
	expired.MaxAge = -1
	http.SetCookie(w, sessions.NewCookie(s.name, "", &expired))
}

// credential is what a request presents as its token.
type credential struct {
	text   string // "" for none
	header bool   // the request has an Authorization header
	scheme scheme
}

// scheme is the authentication scheme of a token.
type scheme int

const (
	schemeNone scheme = iota // a cookie, or nothing that counts
	schemeBearer
	schemeBasic
	schemeDPoP
)

// credentialOf returns what r presents, in its Authorization header or in the cookie. A
// text that is not a token in its canonical spelling never reaches Redis.
func credentialOf(r *http.Request, cookie string) credential {
	if values, present := r.Header["Authorization"]; present {
		if len(values) != 1 {
			return credential{header: true}
		}
		name, text, _ := strings.Cut(values[0], " ")
		c := credential{text: strings.TrimLeft(text, " "), header: true}
		switch {
		case strings.EqualFold(name, "Bearer"):
			c.scheme = schemeBearer
		case strings.EqualFold(name, dpop.Scheme):
			c.scheme = schemeDPoP
		case strings.EqualFold(name, "Basic") && strings.HasPrefix(r.URL.Path, "/api/"):
			c.scheme = schemeBasic
		default:
			c.text = ""
		}
		return c
	}
	c, err := r.Cookie(cookie)
	if err != nil {
		return credential{}
	}
	return credential{text: c.Value}
}
