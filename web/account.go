package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/request"
)

// account asks the platform, if that is due, whether the signed-in person may still use
// their account. The error is session.account if they may not; the session is over then.
func (e *edge) account(c *gin.Context) error {
	state := request.From(c)
	if state.Session == nil || c.Request.Method == http.MethodPost && c.FullPath() == "/login" {
		return nil // the platform judges a sign-in
	}
	err := e.Accounts.Check(c.Request.Context(), state.Session, account.Request{
		Record: func(e audit.Event) { request.Audit(c, e) }, Log: func(cause error) { request.LogCause(c, cause) },
	})
	if fault.Is(err, fault.SessionAccount) {
		state.Session = nil
	}
	if err == nil && withAccountKeys(c.FullPath()) {
		err = e.Accounts.Answered(state.Session)
	}
	return err
}

// withAccountKeys reports whether what is at the path acts with the keys of the
// installation's own account at the platform, which would let anybody in.
func withAccountKeys(path string) bool {
	for _, base := range []string{"/api", "/packages", "/verifications", "/custom-fields"} {
		if path == base || strings.HasPrefix(path, base+"/") {
			return true
		}
	}
	return false
}

// accountEnded answers session.account on a page with the sign-in page, which says why.
func (e *edge) accountEnded(c *gin.Context) {
	e.Sessions.ExpireCookie(c.Writer)
	next := pagePath(c.Request)
	if c.FullPath() == "/login" {
		next = "/"
	}
	c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(next)+"&notice="+string(page.NoticeAccountEnded))
}
