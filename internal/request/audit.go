package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
)

// Audit records e: what was done in this request, by whoever is signed in where e names
// nobody else.
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

// Reason is why err is told in an audit trail: the key of what exactly happened.
func Reason(err error) string { return string(fault.From(err).Exact().Key) }
