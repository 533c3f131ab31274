package identity

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/session"
)

// Session returns the signed-in person, changes their language and signs them out.
type Session struct {
	Sessions *session.Store
	Device   DeviceCookies
	Bundle   *i18n.Bundle
	Profiles Profiles
	// Operator reports whether the user with that id may act for the whole account.
	Operator func(id string) bool
	// Preferences keep the language for e-mails to the person.
	Preferences *audit.PreferenceStore
	Now         func() time.Time
}

// sessionBody is the answer to GET /session; remaining times are in seconds.
type sessionBody struct {
	User            sessionUser `json:"user"`
	Methods         []string    `json:"methods"`
	AuthenticatedAt string      `json:"authenticatedAt"`
	IdleExpiresIn   int64       `json:"idleExpiresIn"`
	ExpiresIn       int64       `json:"expiresIn"`
	Language        string      `json:"language"`
}

type sessionUser struct {
	ID          string  `json:"id"`
	DisplayName *string `json:"displayName"`
	Email       *string `json:"email"`
	Operator    bool    `json:"operator"`
}

// Show answers GET /session. It never prolongs the session.
func (h Session) Show(c *gin.Context) error {
	s := request.From(c).Session
	person, _ := h.Profiles.Person(c)
	idle, absolute := s.Remaining(h.Now())
	return request.Answer(c, http.StatusOK, sessionBody{
		User: sessionUser{
			ID:          person.ID,
			DisplayName: request.Known(person.DisplayName),
			Email:       request.Known(person.Email),
			Operator:    h.Operator(person.ID),
		},
		Methods:         s.Methods(),
		AuthenticatedAt: request.Timestamp(s.AuthenticatedAt()),
		IdleExpiresIn:   int64(idle / time.Second),
		ExpiresIn:       int64(absolute / time.Second),
		Language:        request.From(c).Language,
	})
}

// Change answers PATCH /session: {language}.
func (h Session) Change(c *gin.Context) error {
	language, err := request.Decode(c, func(body payload.Object) (string, error) {
		return body.Required("language", h.Bundle.Languages()...), body.Done()
	})
	if err != nil {
		return err
	}
	if err := h.SetLanguage(c, language); err != nil {
		return err
	}
	return request.NoContent(c)
}

// SetLanguage sets the session's language, and for a browser the device's too, or it
// would be lost with the session. E-mails to the person follow it, unless they have chosen
// another language for these.
func (h Session) SetLanguage(c *gin.Context, tag string) error {
	s := request.From(c).Session
	if person, ok := request.Person(c); ok {
		err := h.Preferences.Change(c.Request.Context(), person.ID, func(p *audit.Preferences) { p.PageLanguage = tag })
		if err != nil {
			return fault.From(err).WithKey(fault.SessionUnavailable)
		}
	}
	if err := h.Sessions.SetLanguage(c.Request.Context(), s, tag); err != nil {
		return err
	}
	if !s.Bearer() {
		h.Device.keepLanguage(c.Writer, tag)
	}
	return nil
}

// SignOut answers DELETE /session: it ends the session on every node and tells the
// browser to clear our storage. Signing out twice is no error.
func (h Session) SignOut(c *gin.Context) error {
	if err := SignOut(c, h.Sessions, h.Device); err != nil {
		return err
	}
	return request.NoContent(c)
}

// SignOut ends the request's session, if there is one, and tells the browser to clear our storage.
func SignOut(c *gin.Context, sessions *session.Store, device DeviceCookies) error {
	if s := request.From(c).Session; s != nil {
		if err := sessions.SignOut(c.Request.Context(), s); err != nil {
			return err
		}
		if _, signedIn := s.User(); signedIn {
			request.Audit(c, audit.Event{Kind: audit.SignedOut})
		}
	}
	device.dropEnteredUser(c.Writer, c.Request)
	if c.GetHeader("Authorization") == "" {
		sessions.ExpireCookie(c.Writer)
	}
	c.Header("Clear-Site-Data", `"storage"`)
	return nil
}
