package signing

import (
	"math"
	"net/url"
	"strconv"
	"strings"
)

// outline is a page of a document, with the fields that the signer has on it. Its sizes are
// in the platform's unit.
type outline struct {
	Number        int // from 1
	Width, Height float64
	Path          string // of its picture and its text, without .png and .txt
	Fields        []fieldView
}

// pictureWidthShown is the width of a picture in pixels for a browser that chooses none.
const pictureWidthShown = 800

// PictureWidth returns the picture's width in pixels.
func (o outline) PictureWidth() int { return pictureWidthShown }

// PictureHeight returns the picture's height in pixels.
func (o outline) PictureHeight() int {
	return max(1, int(math.Round(pictureWidthShown*o.Height/max(o.Width, 1))))
}

// Letters returns the height of the numbers on the page.
func (o outline) Letters() float64 { return max(o.Width, o.Height) / 60 }

// FieldNames returns the fields on the page for people who do not see it.
func (o outline) FieldNames() string {
	names := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		names[i] = strconv.Itoa(f.Number) + " " + f.Label
	}
	return strings.Join(names, ", ")
}

// outlines returns all pages of the document with the fields.
func (d document) outlines(p *pkg, fields []fieldView) []outline {
	pages := make([]outline, len(d.Pages))
	for i, size := range d.Pages {
		pages[i] = outline{Number: i + 1, Width: size.Width, Height: size.Height, Path: p.viewPath(d) + "/pages/" + strconv.Itoa(i+1)}
		for _, f := range fields {
			if f.page == i {
				pages[i].Fields = append(pages[i].Fields, f)
			}
		}
	}
	return pages
}

// viewPath returns the address at which the signer's browser shows a document.
func (p *pkg) viewPath(d document) string {
	return "/transaction/" + url.PathEscape(p.ID) + "/documents/" + url.PathEscape(d.ID)
}
