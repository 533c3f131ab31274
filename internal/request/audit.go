package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
)

// Audit records e as done in this request, by the signed-in person unless e names
// another.
func Audit(c *gin.Context, e audit.Event) {
	s := From(c)
	if s.Trail == nil {
		return
	}
	e.Request, e.Address, e.Device = s.ID, s.Address, c.Request.UserAgent()
	if person, ok := Person(c); ok && (e.Person == "" || e.Person == person.ID) {
		e.Person, e.Session, e.Email, e.Language = person.ID, s.Session.ID(), person.Email, s.Language
	}
	s.Trail.Record(c.Request.Context(), e)
}

// Reason returns the reason for err in an audit trail: the key of the exact fault.
func Reason(err error) string { return string(fault.From(err).Exact().Key) }
