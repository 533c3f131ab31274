package portal

import (
	"cmp"
	"encoding/hex"
	"hash/fnv"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// documentRow is one of the package's documents; Path is its PDF's path.
type documentRow struct {
	ID, Name, Path string
	// Sheets are its pages. A document without any cannot be shown.
	Sheets []sheet
}

// sheet is a page of a document, shown as a picture.
type sheet struct {
	// Document is the position of the document in the package, from 0.
	Document int
	// Name is the document's name without a file's extension, File the path of its PDF.
	Name, File string
	// Number is the page's, from 1.
	Number int
	// Path is the path of its picture and its text, without .png and .txt.
	Path string
	// Width and Height are its size, in the platform's unit.
	Width, Height float64
	// Unshown says that there is no picture of it.
	Unshown bool
	// Incomplete says that characters are missing in the picture.
	Incomplete bool
	// Marks are the reader's own fields on it.
	Marks []mark
}

// mark is a field where it stands on its page, in the platform's unit. Without a label it is
// a signature or another field.
type mark struct {
	Label                    string
	Signature                bool
	Left, Top, Width, Height float64
}

// pictureWidths are the widths in pixels that pictures of pages can have.
var pictureWidths = []int{400, 800, 1600}

// pictureWidth is the width of a picture for a browser that knows no others.
const pictureWidth = 800

// PictureWidth returns the width of the picture in pixels.
func (s sheet) PictureWidth() int { return pictureWidth }

// PictureHeight returns the height of the picture in pixels.
func (s sheet) PictureHeight() int { return s.heightAt(pictureWidth) }

// thumbnail is the width of a thumbnail in pixels.
const thumbnail = 56

// ThumbnailWidth returns the width of the page's thumbnail in pixels.
func (s sheet) ThumbnailWidth() int { return thumbnail }

// ThumbnailHeight returns the height of the page's thumbnail in pixels.
func (s sheet) ThumbnailHeight() int { return s.heightAt(thumbnail) }

func (s sheet) heightAt(width int) int {
	if s.Width <= 0 || s.Height <= 0 {
		return width
	}
	return max(1, int(math.Round(float64(width)*s.Height/s.Width)))
}

// Picture returns the path of the picture of that width.
func (s sheet) Picture(width int) string { return s.Path + ".png?width=" + strconv.Itoa(width) }

// Pictures returns the picture in all widths, as srcset has them.
func (s sheet) Pictures() template.Srcset {
	all := make([]string, len(pictureWidths))
	for i, width := range pictureWidths {
		all[i] = s.Picture(width) + " " + strconv.Itoa(width) + "w"
	}
	return template.Srcset(strings.Join(all, ", ")) //nolint:gosec // The path is escaped, and the rest is ours.
}

// Key is the id of the page's figure.
func (s sheet) Key() string {
	return "sheet-" + strconv.Itoa(s.Document) + "-" + strconv.Itoa(s.Number)
}

// zooms are the widths in which pages are shown, in percent of the room that there is.
var zooms = []int{50, 75, 100, 150, 200, 300}

// usualZoom fills the room.
const usualZoom = 100

// zoomFor returns the width that was asked for, the usual one for any that is not of zooms.
func zoomFor(asked string) int {
	percent, err := strconv.Atoi(asked)
	if err != nil || !slices.Contains(zooms, percent) {
		return usualZoom
	}
	return percent
}

// Larger returns the next larger width, or the largest.
func (p packageView) Larger() int { return p.zoomBy(1) }

// Smaller returns the next smaller width, or the smallest.
func (p packageView) Smaller() int { return p.zoomBy(-1) }

func (p packageView) zoomBy(steps int) int {
	return zooms[min(max(slices.Index(zooms, p.Zoom)+steps, 0), len(zooms)-1)]
}

// Zooms returns the widths as a list for the script.
func (p packageView) Zooms() string {
	all := make([]string, len(zooms))
	for i, percent := range zooms {
		all[i] = strconv.Itoa(percent)
	}
	return strings.Join(all, " ")
}

// Sizes tells browsers how wide pages are shown: the screen's width, or the column's.
func (p packageView) Sizes() string {
	of := func(most float64, unit string) string {
		return strconv.FormatFloat(most*float64(p.Zoom)/100, 'f', -1, 64) + unit
	}
	return "(min-width: 60rem) " + of(columnWidth, "rem") + ", " + of(100, "vw")
}

// columnWidth is the width of the column of pages on a large screen, in rem.
const columnWidth = 46

// Jumps reports whether there are several pages to jump to.
func (p packageView) Jumps() bool { return p.sheetCount() > 1 }

// ShowsSheets reports whether a page can be shown at all.
func (p packageView) ShowsSheets() bool { return p.sheetCount() > 0 }

func (p packageView) sheetCount() (n int) {
	for _, d := range p.Documents {
		n += len(d.Sheets)
	}
	return n
}

// MarksOn describes the marks of a page in words, for people who do not see them.
func (s sheet) MarksOn(v templates.View) string {
	names := make([]string, len(s.Marks))
	for i, m := range s.Marks {
		names[i] = m.Name(v)
	}
	return v.T("page.sheets.marks", "Names", v.List(names...))
}

// Name returns the name of a field.
func (m mark) Name(v templates.View) string {
	switch {
	case m.Label != "":
		return safetext.Isolate(m.Label)
	case m.Signature:
		return v.T("page.sheets.signature")
	}
	return v.T("page.sheets.field")
}

// documents returns the documents of a package with their pages.
func (p packagePage) documents(c *gin.Context, who access.Actor, o service.Opened) (all []documentRow) {
	for _, d := range o.Visible.Documents {
		if d.ID == signing.ConsentDocument {
			continue
		}
		one := documentRow{ID: d.ID, Name: d.Name, Path: documentPath(o.ID, d.ID)}
		sizes := d.Pages
		if len(sizes) == 0 {
			sizes = p.Pages.Sizes(c.Request.Context(), who, o.ID, d.ID)
		}
		for i, size := range sizes {
			shown := sheet{
				Document: len(all), Name: compose.Stem(d.Name), File: one.Path, Number: i + 1, Width: size.Width, Height: size.Height,
				Path: strings.Join([]string{packagePath(o.ID), "documents", url.PathEscape(d.ID), "pages", strconv.Itoa(i + 1)}, "/"),
			}
			page := service.Page{Package: o.ID, Document: d.ID, Number: i + 1}
			shown.Unshown, shown.Incomplete = p.Pages.Unshown(page, o.Grant.Updated), p.Pages.Incomplete(page, o.Grant.Updated)
			shown.Marks = marksOn(o, d, i)
			one.Sheets = append(one.Sheets, shown)
		}
		all = append(all, one)
	}
	return all
}

// marksOn returns the fields of the reader's roles on a page that are not signed yet, from
// above to below.
func marksOn(o service.Opened, d signing.Document, page int) (all []mark) {
	if signing.Finished(o.Full.Status) || o.Full.Status != signing.StatusSent && o.Full.Status != signing.StatusDraft {
		return nil
	}
	for _, a := range d.Approvals {
		if !slices.Contains(o.Grant.Roles, a.Role) || !a.Signed.IsZero() {
			continue
		}
		for _, f := range a.Fields {
			if f.Page == page && f.Width > 0 && f.Height > 0 {
				all = append(all, mark{Label: f.Name, Signature: f.Type == "SIGNATURE", Left: f.Left, Top: f.Top, Width: f.Width, Height: f.Height})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Or(cmp.Compare(a.Top, b.Top), cmp.Compare(a.Left, b.Left)) })
	return all
}

// drawnState tells one state of a package's documents from another.
func drawnState(o service.Opened) string {
	sum := fnv.New64a()
	write := func(texts ...string) {
		for _, text := range texts {
			_, _ = sum.Write([]byte(text + "\x00")) // a hash writes all
		}
	}
	write(o.Full.Status, o.Full.Updated.String())
	for _, d := range o.Full.Documents {
		write(d.ID, d.Name)
		for _, a := range d.Approvals {
			write(a.Role, a.Signed.String())
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
