package verify

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/service"
)

// Verifications are the identity verifications of whoever is signed in, for their pages
// and streams.
type Verifications struct {
	// Service is nil where identities are not verified here.
	Service *service.Service
	Actors  request.Actors
}

// InUse is request.not-found where identities are not verified here.
func (v Verifications) InUse(*gin.Context) error {
	if v.Service == nil {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// asked returns who asks, and the id of the transaction that the path names.
func (v Verifications) asked(c *gin.Context) (who access.Actor, id string, err error) {
	id, ok := verification.ID(c.Param("id"))
	if !ok {
		return who, "", fault.New(fault.RequestNotFound)
	}
	who, err = v.Actors.Actor(c)
	return who, id, err
}
