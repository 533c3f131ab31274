package pdf

import (
	"fmt"
	"strings"

	"countersign/internal/pdf"
)

// Point is a position in a drawing: 0,0 is the top left corner of its field and 1,1 the
// bottom right one.
type Point struct{ X, Y float64 }

// Mark is something to write into a document.
type Mark struct {
	Page int // from 0
	Rect pdf.Rect
	// Text is shown in the rectangle, as large as fits; lines are separated by
	// line feeds.
	Text string
	// Strokes are the lines of a drawn signature.
	Strokes [][]Point
	// Signature shows the text as a signature, in italics.
	Signature bool
	// Field is the full name of a form field at that place, which gets the text as its
	// value and becomes read-only; may be "".
	Field string
}

// The sizes of drawn text, in points.
const (
	largestText      = 12
	largestSignature = 28
	smallestText     = 4
	textOfHeight     = 0.7 // of the height of a line
	inset            = 1
)

// operators returns the operators that draw a mark on a page of that height, from its
// lower left corner.
func (m Mark) operators(height float64) string {
	var b strings.Builder
	if len(m.Strokes) > 0 {
		b.WriteString(m.drawing(height))
	}
	if m.Text != "" {
		b.WriteString(m.lettering(height))
	}
	return b.String()
}

// drawing returns the operators for the strokes.
func (m Mark) drawing(height float64) string {
	var b strings.Builder
	b.WriteString("0 0 0.4 RG 1.2 w 1 J 1 j\n")
	for _, stroke := range m.Strokes {
		operator := "m"
		for _, p := range stroke {
			x, y := m.Rect.Left+p.X*m.Rect.Width, height-m.Rect.Top-p.Y*m.Rect.Height
			fmt.Fprintf(&b, "%s %s %s\n", number(x), number(y), operator)
			operator = "l"
		}
		if len(stroke) > 0 {
			b.WriteString("S\n")
		}
	}
	return b.String()
}

// lettering returns the operators for the text, its lines one below the other in the
// middle of the rectangle.
func (m Mark) lettering(height float64) string {
	lines := strings.Split(strings.ToValidUTF8(m.Text, "?"), "\n")
	size := m.textSize(lines)
	leading := 1.2 * size
	y := height - m.Rect.Top - m.Rect.Height/2 + leading*float64(len(lines)-1)/2 - 0.35*size
	var b strings.Builder
	fmt.Fprintf(&b, "BT 0 g %s TL 1 0 0 1 %s %s Tm\n", number(leading), number(m.Rect.Left+inset), number(y))
	for _, line := range lines {
		b.WriteString(show(line, size) + "T*\n")
	}
	b.WriteString("ET\n")
	if m.Signature {
		return strings.ReplaceAll(b.String(), "/"+latinFont+" ", "/"+scriptFont+" ")
	}
	return b.String()
}

// textSize returns the largest size that fits the rectangle.
func (m Mark) textSize(lines []string) float64 {
	size := min(largestText, textOfHeight*m.Rect.Height/float64(len(lines)))
	if m.Signature {
		size = min(largestSignature, textOfHeight*m.Rect.Height)
	}
	for _, line := range lines {
		if width, room := widthOf(line, size), m.Rect.Width-2*inset; width > room && room > 0 {
			size *= room / width
		}
	}
	return max(size, smallestText)
}
