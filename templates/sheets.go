package templates

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/safetext"
)

// PackageDocument is one of the package's documents; Path is its PDF's path.
type PackageDocument struct {
	ID, Name, Path string
	// Sheets are its pages. A document without any cannot be shown.
	Sheets []Sheet
}

// Sheet is a page of a document, shown as a picture.
type Sheet struct {
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
	Marks []Mark
}

// Mark is a field where it stands on its page, in the platform's unit. Without a label it is
// a signature or another field.
type Mark struct {
	Label                    string
	Signature                bool
	Left, Top, Width, Height float64
}

// pictureWidths are the widths in pixels that pictures of pages can have.
var pictureWidths = []int{400, 800, 1600}

// pictureWidth is the width of a picture for a browser that knows no others.
const pictureWidth = 800

// PictureWidth returns the width of the picture in pixels.
func (s Sheet) PictureWidth() int { return pictureWidth }

// PictureHeight returns the height of the picture in pixels.
func (s Sheet) PictureHeight() int { return s.heightAt(pictureWidth) }

// thumbnail is the width of a thumbnail in pixels.
const thumbnail = 56

// ThumbnailWidth returns the width of the page's thumbnail in pixels.
func (s Sheet) ThumbnailWidth() int { return thumbnail }

// ThumbnailHeight returns the height of the page's thumbnail in pixels.
func (s Sheet) ThumbnailHeight() int { return s.heightAt(thumbnail) }

func (s Sheet) heightAt(width int) int {
	if s.Width <= 0 || s.Height <= 0 {
		return width
	}
	return max(1, int(math.Round(float64(width)*s.Height/s.Width)))
}

// Picture returns the path of the picture of that width.
func (s Sheet) Picture(width int) string { return s.Path + ".png?width=" + strconv.Itoa(width) }

// Pictures returns the picture in all widths, as srcset has them.
func (s Sheet) Pictures() template.Srcset {
	all := make([]string, len(pictureWidths))
	for i, width := range pictureWidths {
		all[i] = s.Picture(width) + " " + strconv.Itoa(width) + "w"
	}
	return template.Srcset(strings.Join(all, ", ")) //nolint:gosec // The path is escaped, and the rest is ours.
}

// Key is the id of the page's figure.
func (s Sheet) Key() string {
	return "sheet-" + strconv.Itoa(s.Document) + "-" + strconv.Itoa(s.Number)
}

// zooms are the widths in which pages are shown, in percent of the room that there is.
var zooms = []int{50, 75, 100, 150, 200, 300}

// usualZoom fills the room.
const usualZoom = 100

// ZoomFor returns the width that was asked for, the usual one for any that is not of Zooms.
func ZoomFor(asked string) int {
	percent, err := strconv.Atoi(asked)
	if err != nil || !slices.Contains(zooms, percent) {
		return usualZoom
	}
	return percent
}

// Larger returns the next larger width, or the largest.
func (p Package) Larger() int { return p.zoomBy(1) }

// Smaller returns the next smaller width, or the smallest.
func (p Package) Smaller() int { return p.zoomBy(-1) }

func (p Package) zoomBy(steps int) int {
	return zooms[min(max(slices.Index(zooms, p.Zoom)+steps, 0), len(zooms)-1)]
}

// zooms returns the widths as a list for the script.
func (p Package) Zooms() string {
	all := make([]string, len(zooms))
	for i, percent := range zooms {
		all[i] = strconv.Itoa(percent)
	}
	return strings.Join(all, " ")
}

// Sizes tells browsers how wide pages are shown: the screen's width, or the column's.
func (p Package) Sizes() string {
	of := func(most float64, unit string) string {
		return strconv.FormatFloat(most*float64(p.Zoom)/100, 'f', -1, 64) + unit
	}
	return "(min-width: 60rem) " + of(columnWidth, "rem") + ", " + of(100, "vw")
}

// columnWidth is the width of the column of pages on a large screen, in rem.
const columnWidth = 46

// Jumps reports whether there are several pages to jump to.
func (p Package) Jumps() bool { return p.sheetCount() > 1 }

// ShowsSheets reports whether a page can be shown at all.
func (p Package) ShowsSheets() bool { return p.sheetCount() > 0 }

func (p Package) sheetCount() (n int) {
	for _, d := range p.Documents {
		n += len(d.Sheets)
	}
	return n
}

// MarksOn describes the marks of a page in words, for people who do not see them.
func (v View) MarksOn(s Sheet) string {
	names := make([]string, len(s.Marks))
	for i, m := range s.Marks {
		names[i] = v.MarkName(m)
	}
	return v.T("page.sheets.marks", "Names", v.printer.List(names...))
}

// MarkName returns the name of a field.
func (v View) MarkName(m Mark) string {
	switch {
	case m.Label != "":
		return safetext.Isolate(m.Label)
	case m.Signature:
		return v.T("page.sheets.signature")
	}
	return v.T("page.sheets.field")
}
