// Package verify is the door of pages to identity verifications: lists, one verification,
// starting one. It decodes forms, calls the use cases of internal/verification/service and
// shows what came of them.
package verify

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/service"
)

// Verifications serves the identity verifications of the person who is signed in to pages
// and streams.
type Verifications struct {
	// Service is nil if this installation has no identity verification.
	Service  *service.Service
	Actors   request.Actors
	Recovery page.FormRecovery
}

// InUse returns request.not-found if this installation has no identity verification.
func (v Verifications) InUse(*gin.Context) error {
	if v.Service == nil {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// asked returns the person who asks, and the id of the transaction in the path.
func (v Verifications) asked(c *gin.Context) (who access.Actor, id string, err error) {
	id, ok := verification.ID(c.Param("id"))
	if !ok {
		return who, "", fault.New(fault.RequestNotFound)
	}
	who, err = v.Actors.Actor(c)
	return who, id, err
}
