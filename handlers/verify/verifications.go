// Package verify implements the identity check pages. It decodes forms, calls the use cases of
// internal/verification/service and shows what came of them.
package verify

import (
	"slices"

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
	Renderer page.Renderer
	// Service is nil if this installation has no identity verification.
	Service  *service.Service
	Streams  page.Streams
	Actors   request.Actors
	Recovery page.FormRecovery
	// PublicOrigin is the origin of a page's address in a QR code, and the one to which a
	// person returns from the platform's page.
	PublicOrigin string
}

// Routes returns the addresses of all pages of identity verifications.
func (v Verifications) Routes() []page.Route {
	routes := slices.Concat(
		verificationsPage{v}.routes(),
		newVerificationPage{v}.routes(),
		verificationPage{v}.routes(),
		verificationEvents{v}.routes(),
	)
	for i := range routes {
		routes[i].InUse = v.inUse
	}
	return routes
}

// inUse returns request.not-found if this installation has no identity verification.
func (v Verifications) inUse(*gin.Context) error {
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
