package signing

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/wire"
)

// pictureWidths are the widths of pages' pictures in pixels, by the parameter that asks for one.
var pictureWidths = map[string]int{"400": 400, "800": 800, "1600": 1600}

// showPageOf answers with a page of a document as the signer sees it: the picture for 3.png,
// its text for 3.txt.
func (s *Server) showPageOf(r *http.Request, p *pkg, d *document) (any, error) {
	digits, kind, _ := strings.Cut(r.PathValue("page"), ".")
	number, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(number) != digits || number < 1 || kind != "png" && kind != "txt" || s.pdf == nil {
		return nil, unknown("page")
	}
	content := s.signedFile(r.Context(), p, *d)
	var found bool
	var out wire.Raw
	if kind == "txt" {
		var text string
		text, found, err = s.pdf.Text(r.Context(), content, number-1)
		out = wire.Raw{Media: "text/plain; charset=utf-8", Body: []byte(text)}
	} else {
		var picture pdf.Picture
		picture, found, err = s.pdf.Draw(r.Context(), content, number-1, cmp.Or(pictureWidths[r.URL.Query().Get("width")], pictureWidthShown))
		out = wire.Raw{Media: "image/png", Body: picture.PNG}
	}
	switch _, refused := errors.AsType[*pdf.Refusal](err); {
	case refused:
		return nil, wire.Refuse(http.StatusUnprocessableEntity, "The page cannot be shown.")
	case err != nil:
		return nil, err
	case !found:
		return nil, unknown("page")
	}
	return out, nil
}
