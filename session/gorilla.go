package session

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gorilla/sessions"
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
	sess, ok, err := s.presented(r, name)
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
// one. It asks Redis each time, so a request keeps its session. The error is an outage.
//
// A request with an Authorization header is judged by it alone, and its cookie is
// ignored. Bearer with the token is accepted anywhere, and Basic with the unencoded token
// below /api/, where the platform's SDKs send a key so. Anything else presents no
// session.
func (s *Store) Load(r *http.Request) (*Session, bool, error) {
	return s.presented(r, s.name)
}

// presented is Load with a cookie of another name.
func (s *Store) presented(r *http.Request, name string) (*Session, bool, error) {
	t, header, ok := credential(r, name)
	if !ok {
		return nil, false, nil
	}
	sess, ok, err := s.load(r.Context(), t)
	if ok {
		sess.header = header
	}
	return sess, ok, err
}

// SendCookie sends the cookie of a session that this request made, but not if the client
// carries the token itself or has the cookie already.
func (s *Store) SendCookie(w http.ResponseWriter, sess *Session) {
	if sess.needsCookie() {
		options := s.cookie
		http.SetCookie(w, sessions.NewCookie(s.name, sess.token.text(), &options))
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

// credential returns the token that a request presents, and whether it stands in the
// Authorization header. A text that is not a token in its canonical spelling never
// reaches Redis.
func credential(r *http.Request, cookie string) (t token, header, ok bool) {
	if values, present := r.Header["Authorization"]; present {
		if len(values) != 1 {
			return t, true, false
		}
		scheme, text, _ := strings.Cut(values[0], " ")
		bearer := strings.EqualFold(scheme, "Bearer")
		basic := strings.EqualFold(scheme, "Basic") && strings.HasPrefix(r.URL.Path, "/api/")
		if !bearer && !basic {
			return t, true, false
		}
		t, ok = parseToken(strings.TrimLeft(text, " "))
		return t, true, ok
	}
	c, err := r.Cookie(cookie)
	if err != nil {
		return t, false, false
	}
	t, ok = parseToken(c.Value)
	return t, false, ok
}
