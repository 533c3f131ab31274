package identity

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/session"
)

// Binding binds browsers' sessions to browser keys (Device Bound Session Credentials). The
// requests come from the browser itself, and not from any page.
type Binding struct {
	Sessions *session.Store
	// Origin is the public origin.
	Origin string
	// Limits limit how often a session's refusals are recorded.
	Limits request.Limits
	// Seen is told what became of a browser's proof: BindingRegistered, BindingRefreshed, or why
	// it was refused.
	Seen func(outcome string)
}

// What becomes of a browser's proof.
const (
	BindingRegistered = "registered"
	BindingRefreshed  = "refreshed"
	// BindingOldChallenge is a proof that answers no challenge that is still good, BindingNoProof
	// one that is broken or not of the key, BindingOtherSession one of a session that is not
	// bound, bound already or another. BindingNoCookie is a change without the bound cookie.
	BindingOldChallenge = "challenge"
	BindingNoProof      = "proof"
	BindingOtherSession = "session"
	BindingNoCookie     = "cookie"
)

// The headers of the protocol.
const (
	boundResponse  = "Secure-Session-Response"
	boundID        = "Sec-Secure-Session-Id"
	boundChallenge = "Secure-Session-Challenge"
)

// boundSession tells a browser what is bound, and where it renews that.
type boundSession struct {
	ID          string            `json:"session_identifier"`
	RefreshURL  string            `json:"refresh_url"`
	Scope       boundScope        `json:"scope"`
	Credentials []boundCredential `json:"credentials"`
}

type boundScope struct {
	Origin      string `json:"origin"`
	IncludeSite bool   `json:"include_site"`
}

type boundCredential struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Attributes string `json:"attributes"`
}

// InUse refuses requests of an installation that binds no browsers.
func (h Binding) InUse(*gin.Context) error {
	if !h.Sessions.BindsBrowsers() {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// Register answers POST /session/binding: it binds the session to the key that the browser
// shows, and hands out the first bound cookie.
func (h Binding) Register(c *gin.Context) error {
	s := request.From(c).Session
	if err := h.Sessions.BindBrowser(c.Request.Context(), s, c.GetHeader(boundResponse)); err != nil {
		return h.refused(err)
	}
	h.Seen(BindingRegistered)
	request.Audit(c, audit.Event{Kind: audit.SessionBound})
	return h.bound(c, s)
}

// Renew answers POST /session/binding/refresh: with a challenge, and where the browser's proof
// answers one, with a new bound cookie. A browser ends the binding when it reads 401; so it
// stands for a session that is over or another, and for a proof of another key alone.
func (h Binding) Renew(c *gin.Context) error {
	s := request.From(c).Session
	if !s.BrowserBound() || strings.Trim(c.GetHeader(boundID), `"`) != s.ID() {
		return h.unproven(c, h.refused(fault.Wrap(fault.SessionProof, errors.New("another session is bound"))))
	}
	err := session.ErrChallenge
	if proof := c.GetHeader(boundResponse); proof != "" {
		err = h.refused(h.Sessions.RenewBrowser(c.Request.Context(), s, proof))
	}
	switch {
	case errors.Is(err, session.ErrChallenge):
		c.Header(boundChallenge, `"`+h.Sessions.BrowserChallenge(s)+`";id="`+s.ID()+`"`)
		c.Status(http.StatusForbidden)
		return nil
	case err != nil:
		return h.unproven(c, err)
	}
	h.Seen(BindingRefreshed)
	return h.bound(c, s)
}

// refused returns err, and tells why a proof was refused. An outage refuses none.
func (h Binding) refused(err error) error {
	_, broken := errors.AsType[*dpop.Refusal](err)
	switch {
	case errors.Is(err, session.ErrChallenge):
		h.Seen(BindingOldChallenge)
	case broken:
		h.Seen(BindingNoProof)
	case fault.Is(err, fault.SessionProof):
		h.Seen(BindingOtherSession)
	}
	return err
}

// unproven returns err, and records it if it ends the binding. Each client with the session's
// cookie can cause that as often as it likes.
func (h Binding) unproven(c *gin.Context, err error) error {
	if fault.Is(err, fault.SessionProof) && h.Limits.TakeBinding(c) == nil {
		return request.Refused(c, audit.Event{Kind: audit.SessionUnproven}, err)
	}
	return err
}

func (h Binding) bound(c *gin.Context, s *session.Session) error {
	h.Sessions.SendBoundCookie(c.Writer, s)
	name, attributes := h.Sessions.BoundCookie()
	return request.Answer(c, http.StatusOK, boundSession{
		ID: s.ID(), RefreshURL: session.RenewPath, Scope: boundScope{Origin: h.Origin},
		Credentials: []boundCredential{{Type: "cookie", Name: name, Attributes: attributes}},
	})
}
