package session

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/fault"

	"github.com/gorilla/sessions"
)

// A browser may bind its session to a key that does not leave its device (Device Bound Session
// Credentials). The answer to a sign-in asks for it, with a challenge that names the session.
// From the registration on whatever changes something needs a second cookie beside the
// session's, which is good for ten minutes and which the browser renews by a proof of its key.
// The cookie is sealed and names the session, so no request costs Redis more than before.

const (
	// BindPath is where a browser registers the key of its session.
	BindPath = "/session/binding"
	// RenewPath is where it gets a new bound cookie.
	RenewPath = "/session/binding/refresh"

	// boundFor is the life of a bound cookie in the browser. boundSlack is the time for the
	// way of a request that was sent in its last moment.
	boundFor   = 10 * time.Minute
	boundSlack = 10 * time.Second
	// bindWithin limits how long a browser takes to register after a sign-in. A challenge to
	// renew is good for a shorter time than its answer counts as used.
	bindWithin  = 5 * time.Minute
	renewWithin = dpop.Window - 10*time.Second
)

// ErrChallenge says that a browser's proof answers no challenge that is still good: it gets a
// new one.
var ErrChallenge = errors.New("session: the proof answers no challenge")

// The three texts that are sealed for a browser. None passes for another.
const (
	aboutBinding  = "binding"
	aboutRenewing = "renewing"
	aboutCookie   = "cookie"
)

// pass returns a text that is good for the session until a time.
func (s *Store) pass(sess *Session, about string, until time.Time) string {
	plain := binary.BigEndian.AppendUint64(bytes.Clone(sess.state.ID), uint64(until.UnixMilli()))
	return encode(s.keys.For("countersign bound browser").Seal(plain, []byte(about)))
}

// passes reports whether text is one of pass for the session, and not over.
func (s *Store) passes(sess *Session, about, text string) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return false
	}
	plain, ok := s.keys.For("countersign bound browser").Open(sealed, []byte(about))
	if !ok || len(plain) != idLength+8 || !bytes.Equal(plain[:idLength], sess.state.ID) {
		return false
	}
	return s.now().Before(time.UnixMilli(int64(binary.BigEndian.Uint64(plain[idLength:]))))
}

// BindsBrowsers reports whether browsers are asked to bind their sessions.
func (s *Store) BindsBrowsers() bool { return s.bindBrowsers }

// BrowserBound reports whether the browser has bound the session to a browser key.
func (s *Session) BrowserBound() bool { return len(s.state.Browser) > 0 }

// offerBinding asks the browser to bind the session of a person that is not bound yet.
func (s *Store) offerBinding(w http.ResponseWriter, sess *Session) {
	if s.bindBrowsers && sess.state.UserID != "" && !sess.BrowserBound() {
		challenge := s.pass(sess, aboutBinding, s.now().Add(bindWithin))
		w.Header().Set("Secure-Session-Registration", fmt.Sprintf(`(%s);path="%s";challenge="%s"`, dpop.BrowserAlgorithm, BindPath, challenge))
	}
}

// BindBrowser binds the session to the key that a browser's proof shows. The error is
// fault.SessionProof unless the proof answers the challenge of this session's sign-in, and the
// session is not bound yet; any other is an outage, or an end of the session meanwhile.
func (s *Store) BindBrowser(ctx context.Context, sess *Session, proof string) error {
	key, challenge, err := dpop.NewBrowserKey(proof)
	switch {
	case err != nil:
		return unproven(err)
	case sess.header || !s.passes(sess, aboutBinding, challenge):
		return unproven(ErrChallenge)
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	var before []byte
	if err := s.changeAll(ctx, sess, "bind a browser", func(next *Session) {
		if before = next.state.Browser; len(before) == 0 {
			next.state.Browser = key
			s.showBound(next)
		}
	}); err != nil {
		return err
	}
	if len(before) > 0 {
		return unproven(errors.New("session: a browser has bound it already"))
	}
	return nil
}

// BrowserChallenge returns a challenge for the browser to renew its bound cookie.
func (s *Store) BrowserChallenge(sess *Session) string {
	return s.pass(sess, aboutRenewing, s.now().Add(renewWithin))
}

// RenewBrowser returns nil if a browser's proof is of the session's key, and answers a challenge
// that no proof has answered. The error is ErrChallenge for an answer to another challenge, and
// fault.SessionProof for a proof that is not of the key; any other is an outage.
func (s *Store) RenewBrowser(ctx context.Context, sess *Session, proof string) error {
	challenge, err := dpop.BrowserAnswer(proof, sess.state.Browser)
	switch {
	case err != nil:
		return unproven(err)
	case !s.passes(sess, aboutRenewing, challenge):
		return ErrChallenge
	}
	fresh, err := s.spend(ctx, usedName([]byte(challenge)))
	if err == nil && !fresh {
		err = ErrChallenge
	}
	return err
}

// SendBoundCookie sends a new bound cookie.
func (s *Store) SendBoundCookie(w http.ResponseWriter, sess *Session) {
	http.SetCookie(w, s.boundCookie(s.pass(sess, aboutCookie, s.now().Add(boundFor+boundSlack)), boundFor))
}

// BoundCookie returns the name of the bound cookie and its attributes, as a browser is told them.
func (s *Store) BoundCookie() (name, attributes string) {
	cookie := s.boundCookie("", 0)
	return cookie.Name, strings.TrimPrefix(cookie.String(), cookie.Name+"=; ")
}

// boundCookie returns the bound cookie. With no age, it says none.
func (s *Store) boundCookie(value string, age time.Duration) *http.Cookie {
	options := s.cookie
	options.MaxAge = int(age / time.Second)
	return sessions.NewCookie(s.boundName(), value, &options)
}

// boundName returns the bound cookie's name. Chromium binds to none that begins with __Host-Http-.
func (s *Store) boundName() string {
	return strings.Replace(s.name, "__Host-Http-", "__Host-", 1) + "-bound"
}

// ProvesBrowser returns fault.SessionProof if the session is bound to its browser, and the
// request has no bound cookie of it that is still good.
func (s *Store) ProvesBrowser(r *http.Request, sess *Session) error {
	if !s.bindBrowsers || !sess.BrowserBound() {
		return nil
	}
	if cookie, err := r.Cookie(s.boundName()); err == nil && !sess.header && s.passes(sess, aboutCookie, cookie.Value) {
		return nil
	}
	return fault.Wrap(fault.SessionProof, errors.New("session: bound to its browser, and no fresh cookie of it"))
}
