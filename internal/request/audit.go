package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
)

// AuditFirst is Audit for an event without which nothing may follow: the error,
// server.unavailable, says that it could not be written.
func AuditFirst(c *gin.Context, e audit.Event) error {
	s := From(c)
	if s.Trail == nil {
		return nil
	}
	if err := s.Trail.RecordFirst(c.Request.Context(), inRequest(c, e)); err != nil {
		return fault.Wrap(fault.ServerUnavailable, err)
	}
	return nil
}

// Audit records e as done in this request, by the signed-in person unless e names
// another.
func Audit(c *gin.Context, e audit.Event) {
	s := From(c)
	if s.Trail == nil {
		return
	}
	s.Trail.Record(c.Request.Context(), inRequest(c, e))
}

// inRequest returns e with who did it, from where and in which request.
func inRequest(c *gin.Context, e audit.Event) audit.Event {
	s := From(c)
	e.Request, e.Address, e.Device = s.ID, s.Address, c.Request.UserAgent()
	if person, ok := Person(c); ok && (e.Person == "" || e.Person == person.ID) {
		e.Person, e.Session, e.Email, e.Language = person.ID, s.Session.ID(), person.Email, s.Language
	}
	return e
}

// Reason returns the reason for err in an audit trail: the key of the exact fault.
func Reason(err error) string { return string(fault.From(err).Exact().Key) }
