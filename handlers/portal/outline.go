package portal

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/signing/compose"
)

// Outline answers GET /packages/new/{id}/outline/{document}/{page} with a picture of the
// page that shows its text in place.
func (p NewPackagePage) Outline(c *gin.Context) error {
	_, id, err := p.changeable(c)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(c.Param("page"))
	if err != nil {
		return fault.New(fault.RequestNotFound)
	}
	o, err := p.Drafts.Outline(c.Request.Context(), id, c.Param("document"), number-1)
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "image/svg+xml", outlinePicture(o))
	return nil
}

// outlinePicture returns the outline as SVG. Each line has the same length as in the
// document, whatever font displays it.
func outlinePicture(o compose.Outline) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" fill="#3d4a48">`, o.Width, o.Height)
	for _, line := range o.Lines {
		r := line.Rect
		fmt.Fprintf(&out, `<text x="%.1f" y="%.1f" font-size="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs">`,
			r.Left, r.Top+baseline*r.Height, r.Height*letters, max(1, r.Width))
		_ = xml.EscapeText(&out, []byte(line.Text)) // writing to memory cannot fail
		out.WriteString("</text>")
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

const (
	// baseline is the position of the letters' baseline in the height of a line, and
	// letters the font size, both as a share of that height.
	baseline = 0.8
	letters  = 0.9
)
