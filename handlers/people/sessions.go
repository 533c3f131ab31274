package people

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/identity"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/session"
)

// Account lists and ends a person's sessions.
type Account struct {
	Sessions *session.Store
	Device   identity.DeviceCookies
	// EndForms deletes a person's kept forms and ends the tickets of their pages; nil if
	// no forms are kept.
	EndForms func(ctx context.Context, person string)
}

type sessionsBody struct {
	Sessions []listedSession `json:"sessions"`
}

type listedSession struct {
	ID         string   `json:"id"`
	Current    bool     `json:"current"`
	CreatedAt  string   `json:"createdAt"`
	LastUsedAt string   `json:"lastUsedAt"`
	UserAgent  string   `json:"userAgent"`
	Address    string   `json:"address"`
	Methods    []string `json:"methods"`
	// Bound says that the session is bound to a key of its device.
	Bound bool `json:"bound"`
}

// List answers GET /account/sessions, the last used first.
func (h Account) List(c *gin.Context) error {
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	list, err := h.Sessions.List(c.Request.Context(), person.ID)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, sessionsBody{sessionBodies(c, list)})
}

// sessionBodies returns sessions as JSON shows them.
func sessionBodies(c *gin.Context, list []session.SessionInfo) []listedSession {
	out := make([]listedSession, 0, len(list))
	for _, s := range list {
		out = append(out, listedSession{
			ID:         s.ID,
			Current:    s.ID == request.From(c).Session.ID(),
			CreatedAt:  request.Timestamp(s.CreatedAt),
			LastUsedAt: request.Timestamp(s.LastUsedAt),
			UserAgent:  s.UserAgent,
			Address:    s.Address,
			Methods:    s.Methods,
			Bound:      s.Bound,
		})
	}
	return out
}

// End answers DELETE /account/sessions/{id}. Ending the current session signs out.
func (h Account) End(c *gin.Context) error {
	if err := endSession(c, h.Sessions, h.Device, c.Param("id")); err != nil {
		return err
	}
	return request.NoContent(c)
}

// EndOthers answers DELETE /account/sessions: every session but this one ends.
func (h Account) EndOthers(c *gin.Context) error {
	if err := h.endOthers(c); err != nil {
		return err
	}
	return request.NoContent(c)
}

// endOthers ends every session of the person but this one, and the tickets of pages that
// those sessions showed.
func (h Account) endOthers(c *gin.Context) error {
	ctx := c.Request.Context()
	if err := h.Sessions.EndOthers(ctx, request.From(c).Session); err != nil {
		return err
	}
	if person, ok := request.Person(c); ok && h.EndForms != nil {
		h.EndForms(ctx, person.ID)
	}
	request.Audit(c, audit.Event{Kind: audit.SessionEnded})
	return nil
}

func endSession(c *gin.Context, sessions *session.Store, device identity.DeviceCookies, id string) error {
	if id == request.From(c).Session.ID() {
		return identity.SignOut(c, sessions, device)
	}
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	found, err := sessions.End(c.Request.Context(), person.ID, id)
	if err != nil {
		return err
	}
	if !found {
		return fault.New(fault.SessionUnknown)
	}
	request.Audit(c, audit.Event{Kind: audit.SessionEnded, Subject: id})
	return nil
}
