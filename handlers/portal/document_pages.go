package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing/service"
)

// documentPages shows the pages of documents as pictures and as text.
type documentPages struct{ Packages }

func (p documentPages) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/:id/documents/:document/pages/:page", Kind: page.Part, Serve: p.get},
	}
}

// widths are the widths of pictures, in pixels, that can be asked for; the first is the
// default.
var widths = []string{"800", "400", "1600"}

// get answers GET /packages/{id}/documents/{document}/pages/{page}: a picture for 3.png, as
// wide as ?width says, the text for 3.txt. How many characters are missing in the picture is
// in the entry missing of Server-Timing.
func (p documentPages) get(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	digits, kind, _ := strings.Cut(c.Param("page"), ".")
	number, err := strconv.Atoi(digits)
	if err != nil || number < 1 || strconv.Itoa(number) != digits || kind != "png" && kind != "txt" {
		return fault.New(fault.RequestNotFound)
	}
	page, ctx := service.Page{Package: c.Param("id"), Document: c.Param("document"), Number: number}, c.Request.Context()
	if kind == "txt" {
		text, err := p.Pages.Text(ctx, who, page)
		if err == nil {
			c.Data(http.StatusOK, "text/plain; charset=utf-8", []byte(text))
		}
		return err
	}
	width, err := widthOf(c.QueryArray("width"))
	if err != nil {
		return err
	}
	picture, err := p.Pages.Picture(ctx, who, page, width)
	if err != nil {
		return err
	}
	if picture.Missing > 0 { // scripts read this of a picture, and no other header
		c.Header("Server-Timing", "missing;dur="+strconv.Itoa(picture.Missing))
	}
	c.Data(http.StatusOK, "image/png", picture.PNG)
	return nil
}

// widthOf returns the width that a query asks for; request.invalid at /width for another
// one than those of widths, and for two.
func widthOf(asked []string) (int, error) {
	switch {
	case len(asked) == 0:
		asked = widths[:1]
	case len(asked) > 1 || !slices.Contains(widths, asked[0]):
		return 0, payload.Violation("/width", "field.choice")
	}
	return strconv.Atoi(asked[0])
}
