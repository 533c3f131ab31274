package request

import (
	"net/http"
	"strings"

	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/session"
)

// FromBrowser reports whether r carries one of the headers that browsers add to the
// requests of a page and that no script can remove.
func FromBrowser(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
}

// FromProgram reports whether r carries an Authorization that browsers do not send by
// themselves: Bearer and DPoP anywhere, Basic below /api/. Elsewhere a browser may send Basic,
// from https://name:password@host.
func FromProgram(r *http.Request) bool {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, dpop.Scheme) ||
		strings.EqualFold(scheme, "Basic") && strings.HasPrefix(r.URL.Path, "/api/")
}

// WantsToken reports whether a session that begins with r, a request in session s, is
// returned as a token in the answer, in place of a cookie: to programs, which bring a
// token already or ask for one. A page in a browser never gets one.
func WantsToken(r *http.Request, s *session.Session) bool {
	if FromProgram(r) || s != nil && s.Bearer() {
		return true
	}
	return strings.EqualFold(r.Header.Get("Countersign-Session"), "bearer") && !FromBrowser(r)
}

// Proofs say which key a session is bound to that begins with a request.
type Proofs struct {
	Sessions *session.Store
	// Required says that every session of an app is bound.
	Required bool
}

// Key returns the thumbprint of the key that the client of r, a request in session held,
// proves to hold; nil for a browser, whose proofs do not count, and for an app that proves
// nothing. The error is session.proof for a proof that is not good, and
// session.proof-required for an app without one, if it must have one; any other is an
// outage.
func (p Proofs) Key(r *http.Request, held *session.Session) ([]byte, error) {
	switch {
	case !WantsToken(r, held):
		return nil, nil
	case held != nil && held.Bound():
		return held.Key(), nil
	case len(r.Header[dpop.Header]) > 0:
		return p.Sessions.Prove(r)
	case p.Required:
		return nil, fault.New(fault.SessionProofRequired)
	}
	return nil, nil
}
