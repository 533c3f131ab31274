package portal

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/signing/service"
)

// PackageEvents tells everyone who may see a package about its changes while it is out
// for signing.
type PackageEvents struct {
	Packages
	Streams page.Streams
}

// Stream answers GET /packages/{id}/events with server-sent events, or with 204 if there
// is nothing to wait for.
func (h PackageEvents) Stream(c *gin.Context) error {
	who, err := h.Actors.Actor(c)
	if err != nil {
		return err
	}
	id := c.Param("id")
	if _, err := h.Service.GrantFor(c.Request.Context(), who, id, "watchPackage"); err != nil {
		return err
	}
	return h.Streams.Serve(c, service.Topic(id), who.Person, h.Service.Watch(id))
}
