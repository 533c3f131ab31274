package pdf

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// The fonts of written text. Every reader has Helvetica; characters that it lacks are
// embedded. With both, programs can read the text back.
const (
	latinFont = "CSHelv"
	otherFont = "CSUni"
	// scriptFont replaces latinFont in signatures.
	scriptFont = "CSSign"
)

// latinFontObject and its like are the font objects; otherFontObject needs the numbers of the
// meaning of its codes, the widths, and the numbers of the glyphs of its codes and of the font
// file.
const (
	latinFontObject  = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	scriptFontObject = "<</Type/Font/Subtype/Type1/BaseFont/Times-Italic/Encoding/WinAnsiEncoding>>"
	otherFontObject  = "<</Type/Font/Subtype/Type0/BaseFont/GoRegular/Encoding/Identity-H/ToUnicode %d 0 R/DescendantFonts[" +
		"<</Type/Font/Subtype/CIDFontType2/BaseFont/GoRegular/DW 1000/W[%s]/CIDToGIDMap %d 0 R/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>" +
		"/FontDescriptor<</Type/FontDescriptor/FontName/GoRegular/Flags 4/FontBBox[-440 -432 2160 2163]/ItalicAngle 0/Ascent 945/Descent -211/CapHeight 723/StemV 80/FontFile2 %d 0 R>>>>]>>"
)

// toUnicode returns a CMap in which every code of two bytes is the character of that
// number, and so is every pair of surrogates.
func toUnicode() string {
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry(Adobe)/Ordering(UCS)/Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	for first := 0; first < 256; first += 64 { // a block has 100 ranges at most, and a range cannot span two first bytes
		b.WriteString("64 beginbfrange\n")
		for high := first; high < first+64; high++ {
			fmt.Fprintf(&b, "<%02X00> <%02XFF> <%02X00>\n", high, high, high)
		}
		b.WriteString("endbfrange\n")
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return b.String()
}

// run is a piece of text in one font, in its encoding.
type run struct {
	font  string
	codes []byte
	width float64 // in thousandths of the font's size
}

// runs splits a line into runs. Control characters become spaces.
func runs(line string) []run {
	var all []run
	for _, r := range line {
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		font, codes, width := encode(r)
		if len(all) == 0 || all[len(all)-1].font != font {
			all = append(all, run{font: font})
		}
		last := &all[len(all)-1]
		last.codes, last.width = append(last.codes, codes...), last.width+width
	}
	return all
}

func encode(r rune) (font string, codes []byte, width float64) {
	if b, ok := charmap.Windows1252.EncodeRune(r); ok && b >= ' ' {
		return latinFont, []byte{b}, latinWidth(b)
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		codes = append(codes, byte(unit>>8), byte(unit))
	}
	_, width = embeddedGlyph(r)
	return otherFont, codes, width
}

// needOtherFont reports whether latinFont lacks a character of a text.
func needOtherFont(text string) bool {
	return slices.ContainsFunc(runs(text), func(r run) bool { return r.font == otherFont })
}

// widthOf returns the width of a line in that size.
func widthOf(line string, size float64) float64 {
	sum := 0.0
	for _, r := range runs(line) {
		sum += r.width
	}
	return sum * size / 1000
}

// show returns the operators that show a line at the text position, in that size.
func show(line string, size float64) string {
	var b strings.Builder
	for _, r := range runs(line) {
		fmt.Fprintf(&b, "/%s %s Tf %s Tj\n", r.font, number(size), r.literal())
	}
	return b.String()
}

// literal returns the run as a string object.
func (r run) literal() string {
	if r.font == otherFont {
		return "<" + hex.EncodeToString(r.codes) + ">"
	}
	var b strings.Builder
	for _, c := range r.codes {
		switch {
		case c == '(' || c == ')' || c == '\\':
			b.WriteString("\\" + string(rune(c)))
		case c > '~':
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return "(" + b.String() + ")"
}

// number returns a coordinate or size in PDF syntax.
func number(n float64) string { return strings.TrimSuffix(fmt.Sprintf("%.3f", n), ".000") }

// latinWidth returns the width of a character of Helvetica; characters beyond ASCII get
// the width of most letters.
func latinWidth(b byte) float64 {
	if b < ' ' || b > '~' {
		return 556
	}
	return float64(latinWidths[b-' '])
}

// latinWidths are the widths of the characters from the space on.
var latinWidths = [...]int{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
	556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
	611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
	667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
	222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}
