package portal

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/signing/service"
)

// packageEvents tells everyone who can see a package about its changes while it is out
// for signing.
type packageEvents struct{ Packages }

func (h packageEvents) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/:id/events", Kind: page.Part, Serve: h.stream},
	}
}

// stream answers GET /packages/{id}/events with server-sent events, or with 204 if there
// is nothing to wait for.
func (h packageEvents) stream(c *gin.Context) error {
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
