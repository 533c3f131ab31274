package compose

import (
	"cmp"
	"math"
	"strconv"
)

// addedField adds a field on the first page of the first document, below the fields added
// there before, and returns the input to focus.
func (f *Form) addedField() (string, bool) {
	if len(f.Documents) == 0 {
		return "files", true
	}
	if len(f.Fields) >= maxFields {
		return "add-field", true
	}
	d := f.Blank(f.key("f"))
	if len(f.Recipients) > 0 {
		d.Recipient = f.Recipients[0].Key
	}
	f.putFree(&d)
	f.Fields = append(f.Fields, d)
	return d.Key + ".kind", true
}

// putFree puts a new field on the first page of its document, as far as it fits.
func (f *Form) putFree(d *Field) {
	width, height := d.Size()
	size := Page{Width: firstLeft + width, Height: defaultHeight}
	if i := f.documentAt(d.Document); i >= 0 && len(f.Documents[i].Pages) > 0 {
		size = f.Documents[i].Pages[0]
	}
	if width > size.Width || height > size.Height {
		width, height = min(width, size.Width), min(height, size.Height)
		d.Width, d.Height = formatNumber(width), formatNumber(height)
	}
	d.Left = formatNumber(max(0, min(firstLeft, size.Width-width)))
	d.Top = formatNumber(max(0, min(f.freeTop(d.Document), size.Height-height)))
}

const (
	// firstLeft is the left of a field that is added.
	firstLeft = 50
	// firstTop is the top of the first field that is added to a page, pitch the distance from
	// one field to the next.
	firstTop, pitch = 50, 60
	defaultHeight   = 792
)

// freeTop returns a position on the first page where no other added field was placed,
// while there is room.
func (f *Form) freeTop(document string) float64 {
	count := 0
	for _, d := range f.Fields {
		if d.Document == document && d.Found == "" {
			count++
		}
	}
	height := float64(defaultHeight)
	if i := f.documentAt(document); i >= 0 && len(f.Documents[i].Pages) > 0 {
		height = f.Documents[i].Pages[0].Height
	}
	rows := max(1, int((height-firstTop)/pitch))
	return float64(firstTop + count%rows*pitch)
}

// Size returns the field's size in points: as typed, or else its kind's.
func (d Field) Size() (width, height float64) {
	kind := kindOf(d.Kind)
	return positive(d.Width, kind.Width), positive(d.Height, kind.Height)
}

func positive(typed string, otherwise float64) float64 {
	if n, ok := parseNumber(typed); ok && n > 0 {
		return n
	}
	return otherwise
}

// SizeTyped returns the size as the inputs show it.
func (d Field) SizeTyped() (width, height string) {
	kind := kindOf(d.Kind)
	return cmp.Or(d.Width, formatNumber(kind.Width)), cmp.Or(d.Height, formatNumber(kind.Height))
}

// sizedAs reports whether the typed size is the kind's own.
func (d Field) sizedAs(k Kind) bool {
	is := func(typed string, size float64) bool {
		n, ok := parseNumber(typed)
		return typed == "" || ok && n == size
	}
	return is(d.Width, k.Width) && is(d.Height, k.Height)
}

// coordinates returns the field's typed position in points: its page, from 0, its left
// and its top.
func (d Field) coordinates() (page int, left, top float64) {
	n, _ := strconv.Atoi(d.Page)
	left, _ = parseNumber(d.Left)
	top, _ = parseNumber(d.Top)
	return max(0, n-1), left, top
}

// parseNumber parses a number that a payload can have.
func parseNumber(typed string) (float64, bool) {
	n, err := strconv.ParseFloat(typed, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// formatNumber formats a number, rounded to a thousandth, as short as possible.
func formatNumber(n float64) string { return strconv.FormatFloat(rounded(n), 'f', -1, 64) }

// rounded rounds n to a thousandth.
func rounded(n float64) float64 { return math.Round(n*1000) / 1000 }
