package portal

import (
	"net/http"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/payload"
)

// documentHits tells the page on which a draft is prepared where a text stands.
type documentHits struct{ Packages }

func (p documentHits) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/new/:id/documents/:document/hits", Kind: page.Part, Serve: p.get},
	}
}

// hit is a place of a text: its page, from 1, and its rectangle in points.
type hit struct {
	Page   int     `json:"page"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// maxAnchor limits the text that is looked for, in characters.
const maxAnchor = 255

// get answers GET /packages/new/{id}/documents/{document}/hits?text=… with the places of
// the text, in the platform's order.
func (p documentHits) get(c *gin.Context) error {
	who, id, err := p.changeable(c)
	if err != nil {
		return err
	}
	text := c.Query("text")
	if n := utf8.RuneCountInString(text); n == 0 || n > maxAnchor {
		return payload.Violation("/text", "field.length")
	}
	places, err := p.Pages.Search(c.Request.Context(), who, id, c.Param("document"), text)
	if err != nil {
		return err
	}
	hits := make([]hit, len(places))
	for i, place := range places {
		r := place.Rect
		hits[i] = hit{Page: place.Page + 1, Left: r.Left, Top: r.Top, Width: r.Width, Height: r.Height}
	}
	c.JSON(http.StatusOK, gin.H{"hits": hits})
	return nil
}
