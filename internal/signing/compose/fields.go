package compose

import (
	"cmp"
	"math"
	"strconv"
)

// addedField adds a field that is placed on the last page of the first document, below
// the ones that stand there, and returns the input to go on at.
func (f *Form) addedField() (string, bool) {
	if len(f.Documents) == 0 {
		return "files", true
	}
	if len(f.Fields) >= maxFields {
		return "add-field", true
	}
	d := Field{Key: f.key("f"), Document: f.Documents[0].Key, Kind: Kinds[0].Name, Check: Checks[0].Name}
	if len(f.Recipients) > 0 {
		d.Recipient = f.Recipients[0].Key
	}
	d.Page, d.Left, d.Top = "1", "50", number(f.freeTop(d.Document))
	f.Fields = append(f.Fields, d)
	return d.Key + ".kind", true
}

const (
	// firstTop is where the first field of a document is put, and pitch how far the
	// next ones are below.
	firstTop, pitch = 50, 60
	defaultHeight   = 792
)

// freeTop is a place on the first page that no other field of ours was put at.
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

// Size is how large the field is, in points: as it was typed, else as its kind.
func (d Field) Size() (width, height float64) {
	kind := KindOf(d.Kind)
	return positive(d.Width, kind.Width), positive(d.Height, kind.Height)
}

func positive(typed string, otherwise float64) float64 {
	if n, ok := parse(typed); ok && n > 0 {
		return n
	}
	return otherwise
}

// SizeTyped is the size as it stands in the inputs.
func (d Field) SizeTyped() (width, height string) {
	kind := KindOf(d.Kind)
	return cmp.Or(d.Width, number(kind.Width)), cmp.Or(d.Height, number(kind.Height))
}

// sizedAs reports whether the size that was typed is what the kind brings.
func (d Field) sizedAs(k Kind) bool {
	is := func(typed string, size float64) bool {
		n, ok := parse(typed)
		return typed == "" || ok && n == size
	}
	return is(d.Width, k.Width) && is(d.Height, k.Height)
}

// Place is where the field is put, in points: its page from 0, and its left and top.
func (d Field) Place() (page int, left, top float64) {
	n, _ := strconv.Atoi(d.Page)
	left, _ = parse(d.Left)
	top, _ = parse(d.Top)
	return max(0, n-1), left, top
}

// parse reads a number that can be one of a payload.
func parse(typed string) (float64, bool) {
	n, err := strconv.ParseFloat(typed, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// Offset is how far the field stands from its text, in points.
func (d Field) Offset() (right, down float64) {
	right, _ = parse(d.Right)
	down, _ = parse(d.Down)
	return right, down
}

// number writes a number as short as it goes, to a thousandth.
func number(n float64) string { return strconv.FormatFloat(rounded(n), 'f', -1, 64) }

// rounded is n to a thousandth.
func rounded(n float64) float64 { return math.Round(n*1000) / 1000 }
