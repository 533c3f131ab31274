package verify

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
)

// VerificationEvents tells whoever may see a verification what changes about it, while it
// is under way.
type VerificationEvents struct {
	Verifications
	Streams page.Streams
}

// Stream answers GET /verifications/{id}/events: server-sent events, or 204 where there is
// nothing to wait for.
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
