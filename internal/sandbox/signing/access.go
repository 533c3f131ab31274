package signing

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/sandbox/wire"
)

func (s *Server) accessRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getSigningUrl", Method: get, Path: rolePath + "/signingUrl", Call: s.ofPackage(s.getSigningURL)},
		{Operation: "openSession", Method: get, Path: "/access", Call: s.openPage(func(r *http.Request) string { return r.URL.Query().Get("sessionToken") }), Admits: anybody},
		{Operation: "openSigningUrl", Method: get, Path: "/sign/{link}", Call: s.openPage(func(r *http.Request) string { return r.PathValue("link") }), Admits: anybody},
		{Operation: "authenticate", Method: get, Path: "/auth", Call: s.authenticate, Admits: anybody},
	}
}

func (s *Server) getSigningURL(r *http.Request, p *pkg) (any, error) {
	one, err := p.role(r.PathValue("role"))
	switch {
	case err != nil:
		return nil, err
	case p.Status == draft:
		return nil, invalidState("The package is a draft, and has no signing URL.")
	case len(one.Signers) == 0:
		return nil, refuse(unassignedRole)
	}
	return struct {
		URL       string `json:"url"`
		RoleID    string `json:"roleId"`
		PackageID string `json:"packageId"`
	}{site(r) + "/sign/" + s.sessions.link(p.ID, one.partyOf(r.PathValue("role"))), one.ID, p.ID}, nil
}

// change lets act change the path's package in the name of the request's sender.
func (s *Server) change(r *http.Request, act func(*pkg) error) (*pkg, error) {
	return s.store.change(r.PathValue("package"), s.actorOf(r), act)
}

// actorOf returns the request's actor: the signer whose session it carries, else the
// account.
func (s *Server) actorOf(r *http.Request) actor {
	by := actor{site: site(r)}
	by.ip, _, _ = net.SplitHostPort(r.RemoteAddr) // "" if there is none
	if a, _, ok := s.session(r); ok {
		by.party = a.party
	}
	return by
}

// site returns the address that the client uses.
func site(r *http.Request) string { return "http://" + r.Host }

// authenticate opens a session for a token: with a target it redirects the person there,
// without one it answers with the session's id (docs/platform.md S9).
func (s *Server) authenticate(r *http.Request) (any, error) {
	query := r.URL.Query()
	target, err := url.Parse(query.Get("target"))
	leads := err == nil && target.Path != ""
	if err != nil || leads && (target.Host != "" && target.Host != r.Host || !strings.HasPrefix(target.Path, "/")) || target.Opaque != "" {
		return nil, wire.Refuse(http.StatusBadRequest, "The target is not an address of this platform.")
	}
	id, _, ok := s.sessions.begin(query.Get("signerAuthenticationToken"))
	if !ok {
		return nil, wire.Refuse(http.StatusUnauthorized, "The token is unknown, used or expired.")
	}
	if !leads {
		return sessionToken{id}, nil
	}
	return opened(id, target.RequestURI()), nil
}

// openPage returns the call that leads a person to the page of their package, by the token of
// their request.
func (s *Server) openPage(token func(*http.Request) string) wire.Call {
	return func(r *http.Request) (any, error) {
		id, a, ok := s.sessions.begin(token(r))
		if !ok {
			return visitorOf(r, party{}, "").refused("dead", "ask"), nil
		}
		return opened(id, "/transaction/"+url.PathEscape(a.packageID)+"/sign"), nil
	}
}

// opened gives the browser the session and redirects it. The address is absolute, because
// the SDKs use it unchanged.
func opened(id, path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		//nolint:gosec // The sandbox is served over plain http, where browsers keep no Secure cookie.
		http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, site(r)+path, http.StatusSeeOther) //nolint:gosec // The path is one of the platform's own.
	})
}

// anybody admits every request: its own content is the credential.
func anybody(*http.Request) bool { return true }

// session returns the request's session of the package in its path, if its signer is still a
// signer there, with the package.
func (s *Server) session(r *http.Request) (access, *pkg, bool) {
	a, ok := s.sessions.of(r)
	if !ok || a.packageID != r.PathValue("package") {
		return access{}, nil, false
	}
	p, err := s.store.find(a.packageID)
	return a, p, err == nil && p.has(a.party)
}

// reads admits a signer's session to its package.
func (s *Server) reads(r *http.Request) bool {
	_, _, ok := s.session(r)
	return ok
}
