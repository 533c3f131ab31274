package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/intake"
	"countersign/session"
)

// Actors tell the use cases who asks, through both doors.
type Actors struct {
	// Profile returns the signed-in user, read from the platform where that could not be
	// done when they signed in; false when signed out.
	Profile func(*gin.Context) (session.User, bool)
	// Operator reports whether a user may act for the whole account.
	Operator func(user string) bool
	// TrustEmail says that the platform's e-mail address makes its person the owner or
	// signer of packages.
	TrustEmail bool
	StepUp     StepUp
}

// Actor returns who asks; the error is session.required when signed out.
func (a Actors) Actor(c *gin.Context) (access.Actor, error) {
	user, signedIn := a.Profile(c)
	if !signedIn {
		return access.Actor{}, fault.New(fault.SessionRequired)
	}
	person := access.Person{User: user.ID, Operator: a.Operator(user.ID)}
	if a.TrustEmail {
		person.Email = intake.FoldAddress(user.Email)
	}
	return access.Actor{
		Person:  person,
		Session: From(c).Session.ID(),
		StepUp:  func() error { return a.StepUp.Require(c) },
		Record:  func(e audit.Event) { Audit(c, e) },
		Log:     func(err error) { LogCause(c, err) },
	}, nil
}
