package request

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/dpop"
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

// WantsToken reports whether a session that begins with this request is returned as a
// token in the answer, in place of a cookie: to programs, which bring a token already or
// ask for one. A page in a browser never gets one.
func WantsToken(c *gin.Context) bool {
	if s := From(c).Session; FromProgram(c.Request) || s != nil && s.Bearer() {
		return true
	}
	return strings.EqualFold(c.GetHeader("Countersign-Session"), "bearer") && !FromBrowser(c.Request)
}

// Client returns the origin of the request, for the list of a person's sessions.
func Client(c *gin.Context) session.Client {
	return session.Client{UserAgent: c.Request.UserAgent(), Address: From(c).Address}
}

// HandOver gives the client the token of a session that this request created: programs as
// member sessionToken of body, with the tokenType of a bound one, browsers in the cookie.
func HandOver(c *gin.Context, sessions *session.Store, s *session.Session, body map[string]any) {
	if s.Token() != "" && s.Bearer() {
		body["sessionToken"] = s.Token()
		if s.Bound() {
			body["tokenType"] = dpop.Scheme
		}
		return
	}
	sessions.SendCookie(c.Writer, s)
}
