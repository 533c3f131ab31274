package sandbox

import (
	"net/http"
	"strings"

	"countersign/internal/sandbox/inspector"
	"countersign/internal/sandbox/wire"
)

// cookieName is the cookie of browsers that gave the management key.
const cookieName = "sandbox-manage"

const loginPath = managementPath + "/login"

// isOpen reports whether other machines need no key: for the form that asks for it, and the
// files of that page.
func isOpen(path string) bool {
	return path == loginPath || strings.HasPrefix(path, inspector.AssetsPath+"/")
}

func hasCookie(r *http.Request) bool {
	_, err := r.Cookie(cookieName)
	return err == nil
}

// routes returns the form in which a browser gives the management key, if there is one.
func (g *guard) routes() []wire.Route {
	if g.key == "" {
		return nil
	}
	return []wire.Route{
		{Method: http.MethodGet, Path: loginPath, Call: func(*http.Request) (any, error) { return inspector.Login("", http.StatusOK), nil }},
		{Method: http.MethodPost, Path: loginPath, Call: g.login},
	}
}

// login sets the cookie of this session of the browser, if the key is right.
func (g *guard) login(r *http.Request) (any, error) {
	if !equal(r.PostFormValue("key"), g.key) {
		return inspector.Login("This is not the management key.", http.StatusForbidden), nil
	}
	cookie := &http.Cookie{Name: cookieName, Value: g.session, Path: managementPath, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil} //nolint:gosec // the sandbox is served over http
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, cookie)
		http.Redirect(w, r, managementPath+"/", http.StatusSeeOther)
	}), nil
}
