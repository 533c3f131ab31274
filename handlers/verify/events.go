package verify

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
)

// VerificationEvents tells everyone who may see a verification about its changes while it
// is under way.
type VerificationEvents struct {
	Verifications
	Streams page.Streams
}

// Stream answers GET /verifications/{id}/events with server-sent events, or with 204 if
// there is nothing to wait for.
func (h VerificationEvents) Stream(c *gin.Context) error {
	who, id, err := h.asked(c)
	if err != nil {
		return err
	}
	fetch, err := h.Service.Watch(c.Request.Context(), who, id)
	if err != nil {
		return err
	}
	return h.Streams.Serve(c, id, who.Person, fetch)
}
