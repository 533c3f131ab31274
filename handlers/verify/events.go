package verify

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
)

// verificationEvents tells everyone who can see a verification about its changes while it
// is under way.
type verificationEvents struct{ Verifications }

func (h verificationEvents) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/verifications/:id/events", Kind: page.Part, Serve: h.stream},
	}
}

// stream answers GET /verifications/{id}/events with server-sent events, or with 204 if
// there is nothing to wait for.
func (h verificationEvents) stream(c *gin.Context) error {
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
