package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/verification/service"
)

// Verifications makes the actors of identity verification, for both doors.
type Verifications struct {
	// Operator reports whether a user may act for the whole account.
	Operator func(user string) bool
	StepUp   StepUp
}

// Actor returns who asks; the error is session.required when signed out.
func (v Verifications) Actor(c *gin.Context) (service.Actor, error) {
	user, err := RequirePerson(c)
	if err != nil {
		return service.Actor{}, err
	}
	return service.Actor{
		Person:  access.Person{User: user.ID, Operator: v.Operator(user.ID)},
		Session: From(c).Session.ID(),
		StepUp:  func() error { return v.StepUp.Require(c) },
		Record:  func(e audit.Event) { Audit(c, e) },
		Log:     func(err error) { LogCause(c, err) },
	}, nil
}
