package web

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/identity"
	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/request"
	"countersign/session"
)

// session loads the request's session, and what its operation reads with it. A session that cannot be read is an outage, never
// a sign-out: the cookie stays.
func (e *edge) session(c *gin.Context) error {
	e.proofNonce(c)
	info := request.From(c)
	var along []redisdb.Command
	if info.Operation != nil {
		along = info.Operation.Reads(c.Request.Context())
	}
	s, ok, err := e.Sessions.Load(c.Request, along...)
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	info.Session = s
	if person, signedIn := s.User(); signedIn {
		info.Person, info.ShownTo = person.ID, e.sealShownTo
		info.MakesPasskey = e.Handlers.Registration.Offers(c)
	}
	if e.Bundle.Has(s.Language()) {
		info.Language = s.Language()
	}
	return nil
}

// ownBrowser refuses a request that changes something, of a session that is bound to its
// browser, unless it shows that it comes from there. Signing out is never refused.
func (e *edge) ownBrowser(c *gin.Context) error {
	s := request.From(c).Session
	if s == nil || !s.BrowserBound() || !changes(c) || leaves(c, s.ID()) {
		return nil
	}
	err := e.Sessions.ProvesBrowser(c.Request, s)
	if err != nil {
		e.Handlers.Binding.Seen(identity.BindingNoCookie)
	}
	return err
}

// leaves reports whether a request ends its own session.
func leaves(c *gin.Context, own string) bool {
	switch c.FullPath() {
	case "/account":
		action := c.PostForm("action")
		return action == "sign-out" || action == "end-session" && c.PostForm("id") == own
	case "/account/sessions/:id":
		return c.Request.Method == http.MethodDelete && c.Param("id") == own
	}
	return false
}

// changes reports whether a request changes something. What leads to the platform's pages of
// signing and of identity checks does, since who is there acts as the person. So does a look at a
// push, which signs in once it was accepted.
func changes(c *gin.Context) bool {
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return true
	}
	switch c.FullPath() {
	case "/packages/:id/sign", "/verifications/:id/continue", "/sessions/:requestID":
		return true
	}
	return strings.HasSuffix(strings.TrimSuffix(c.Request.URL.Path, "/"), "/signingUrl") // below /api, one slash more is no other path
}

// proofNonce sends the nonce that an app's next proof needs, if proofs need one.
func (e *edge) proofNonce(c *gin.Context) {
	nonce := e.Sessions.ProofNonce()
	if nonce != "" && (request.FromProgram(c.Request) || c.GetHeader(dpop.Header) != "" || c.GetHeader("Countersign-Session") != "") {
		c.Header(dpop.NonceHeader, nonce)
	}
}

// liveToken refuses a program whose token opens no session.
func liveToken(c *gin.Context) error {
	if request.FromProgram(c.Request) && request.From(c).Session == nil {
		return fault.New(fault.SessionRequired)
	}
	return nil
}

// anyToken treats a program's expired token as no token, unless a page in a browser sends
// it.
func anyToken(c *gin.Context) error {
	if request.FromBrowser(c.Request) {
		return liveToken(c)
	}
	return nil
}

// recognized loads the session for the page of an address or a method that there is not, so
// that the page shows its reader as signed in, in their language, with the way on. The page
// is also answered while sessions cannot be read.
func (e *edge) recognized(c *gin.Context) {
	if wantsPage(c) && request.From(c).Session == nil && e.hasCookie(c.Request) {
		_ = e.session(c)
	}
}

// touch prolongs the used session from time to time, unless a page that reads itself again sent
// the request. A failure is logged and refuses nobody, since the session has been read.
func (e *edge) touch(c *gin.Context) {
	s := request.From(c).Session
	if s == nil || c.Query("live") != "" {
		return
	}
	if err := e.Sessions.Touch(c.Request.Context(), s); err != nil {
		request.LogCause(c, err)
	}
}

// interstitial answers a cross-site navigation without a cookie with a page that leads to
// the same address: the browser withholds the strict cookie from the first request and
// sends it with the second, which comes from our own page.
func (e *edge) interstitial(c *gin.Context) {
	r := c.Request
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" ||
		r.Header.Get("Sec-Fetch-Site") != "cross-site" || e.hasCookie(r) {
		c.Next()
		return
	}
	asDocument(c)
	if err := e.Renderer.Interstitial(c); err != nil {
		_ = c.Error(err)
	}
	c.Abort()
}

// pageInterstitial is interstitial for a path that no route has.
func (e *edge) pageInterstitial(c *gin.Context) {
	if wantsPage(c) {
		e.interstitial(c)
	}
}

// hasCookie reports whether the request carries our session cookie.
func (e *edge) hasCookie(r *http.Request) bool {
	_, err := r.Cookie(session.CookieName(e.https))
	return err == nil
}
