package request

import (
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// StepUp requires a recent sign-in before an authenticator is added or removed.
type StepUp struct {
	// Age limits the age of the sign-in.
	Age time.Duration
	Now func() time.Time
}

// Needed reports whether the session's sign-in is too old.
func (s StepUp) Needed(c *gin.Context) bool {
	session := From(c).Session
	return session == nil || s.Now().Sub(session.AuthenticatedAt()) > s.Age
}

// Require returns session.step-up if the session's sign-in is too old.
func (s StepUp) Require(c *gin.Context) error {
	if s.Needed(c) {
		return fault.New(fault.SessionStepUp)
	}
	return nil
}
