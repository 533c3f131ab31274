package portal

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/signing/service"
)

// PackageEvents tells whoever may see a package that something has changed about it, while
// it is with its signers.
type PackageEvents struct {
	Packages
	Streams page.Streams
}

// Stream answers GET /packages/{id}/events: server-sent events, or 204 where there is
// nothing to wait for.
func (h PackageEvents) Stream(c *gin.Context) error {
	who, err := h.Actors.Actor(c)
	if err != nil {
		return err
	}
	id := c.Param("id")
	if _, err := h.Service.Grant(c.Request.Context(), who, id); err != nil {
		return err
	}
	return h.Streams.Serve(c, service.Topic(id), who.Person, h.Service.Watch(id))
}
