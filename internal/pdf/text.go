package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"golang.org/x/text/unicode/bidi"
)

// maxLines limits the lines that are read of a page, maxText the characters.
const (
	maxLines = 2000
	maxText  = 1 << 20
)

// hyphenated is what PDFium has for a hyphen at the end of a line; it is no character.
const hyphenated = 0xFFFE

// pageText is the text of a page.
type pageText struct {
	*openPage
	handle references.FPDF_TEXTPAGE
	// units is the text in UTF-16, as PDFium counts it.
	units []uint16
}

// text opens the text of the page, which the caller closes.
func (p *openPage) text() (*pageText, error) {
	loaded, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: p.ref()})
	if err != nil {
		return nil, err
	}
	t := &pageText{openPage: p, handle: loaded.TextPage}
	count, err := p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: t.handle})
	if err == nil && count.Count > 0 {
		text, failure := p.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: t.handle, Count: min(count.Count, maxText)})
		if err = failure; err == nil {
			t.units = utf16.Encode([]rune(text.Text))
			for i, unit := range t.units {
				t.units[i] = character(unit)
			}
		}
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// character returns a unit of the text, or what takes its place: readers and copies get no
// control and nothing that is no character, which fonts do name.
func character(unit uint16) uint16 {
	switch r := rune(unit); {
	case unit == hyphenated:
		return '-'
	case unicode.IsControl(r) && !unicode.IsSpace(r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return ' '
	}
	return unit
}

func (t *pageText) close() {
	_, _ = t.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: t.handle})
}

// rectOf returns the position of the character that begins at a unit of the text; ok is
// false for a character without one, such as the end of a line.
func (t *pageText) rectOf(unit int) (r Rect, ok bool) {
	at, err := t.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: t.handle, NTextIndex: unit})
	if err != nil || at.CharIndex < 0 {
		return r, false
	}
	found, err := t.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.handle, Index: at.CharIndex})
	if err != nil {
		return r, false
	}
	box := [4]float64{float64(found.Rect.Left), float64(found.Rect.Bottom), float64(found.Rect.Right), float64(found.Rect.Top)}
	return t.rect(t.tighten(at.CharIndex, box)), true
}

// standardMeasures are the ascent and descent of the standard fonts, by the beginnings of
// their names (Adobe's metrics, on which files without embedded fonts rely).
var standardMeasures = map[string][2]float64{"Helvetica": {0.718, -0.207}, "Times": {0.683, -0.217}, "Courier": {0.629, -0.157}}

// tighten returns a character's box with the ascent and descent of its font if that is a
// standard one: PDFium's belong to its replacement font.
func (t *pageText) tighten(char int, box [4]float64) [4]float64 {
	object, err := t.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: t.handle, Index: char})
	if err != nil {
		return box
	}
	font, err := t.FPDFTextObj_GetFont(&requests.FPDFTextObj_GetFont{PageObject: object.TextObject})
	if err != nil {
		return box
	}
	name, err := t.FPDFFont_GetBaseFontName(&requests.FPDFFont_GetBaseFontName{Font: font.Font})
	if err != nil {
		return box
	}
	family, _, _ := strings.Cut(name.BaseFontName, "-")
	measures, known := standardMeasures[family]
	if embedded, err := t.FPDFFont_GetIsEmbedded(&requests.FPDFFont_GetIsEmbedded{Font: font.Font}); !known || err != nil || embedded.IsEmbedded {
		return box
	}
	origin, err := t.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: t.handle, Index: char})
	if err != nil {
		return box
	}
	angle, err := t.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: t.handle, Index: char})
	if err != nil {
		return box
	}
	ascent, err := t.FPDFFont_GetAscent(&requests.FPDFFont_GetAscent{Font: font.Font, FontSize: 1})
	if err != nil {
		return box
	}
	return fitted(box, origin.X, origin.Y, float64(angle.CharAngle), measures[0]/float64(ascent.Ascent), measures)
}

// fitted moves the sides of box above and below the baseline through x, y. It handles
// text that is upright, upside down or along the sides; at another angle the box stays.
func fitted(box [4]float64, x, y, angle, scale float64, measures [2]float64) [4]float64 {
	const right = math.Pi / 2
	quarter := int(math.Round(angle/right)) % 4
	if math.Abs(angle-right*math.Round(angle/right)) > 0.01 {
		return box
	}
	fall := -measures[1] / measures[0]
	switch quarter {
	case 0:
		up := (box[3] - y) * scale
		box[1], box[3] = y-up*fall, y+up
	case 2:
		up := (y - box[1]) * scale
		box[1], box[3] = y-up, y+up*fall
	case 1:
		up := (box[2] - x) * scale
		box[0], box[2] = x-up*fall, x+up
	case 3:
		up := (x - box[0]) * scale
		box[0], box[2] = x-up, x+up*fall
	}
	return box
}

// lines returns the lines of text in the order in which they are written.
func (t *pageText) lines() (all []Line) {
	for from := 0; from < len(t.units) && len(all) < maxLines; {
		to := from
		for to < len(t.units) && t.units[to] != '\r' && t.units[to] != '\n' {
			to++
		}
		if one, ok := t.line(from, to); ok {
			all = append(all, one)
		}
		from = to + 1
	}
	return all
}

// line returns the text from one unit to another; ok is false if nothing of it is shown.
func (t *pageText) line(from, to int) (l Line, ok bool) {
	for from < to && unicode.IsSpace(rune(t.units[from])) {
		from++
	}
	for to > from && unicode.IsSpace(rune(t.units[to-1])) {
		to--
	}
	if from == to {
		return l, false
	}
	first, begins := t.rectOf(from)
	last, ends := t.rectOf(to - 1)
	if !begins || !ends {
		return l, false
	}
	text, all := string(utf16.Decode(t.units[from:to])), around(first, last)
	if strings.ContainsFunc(text, isRightToLeft) { // its first and its last letter need not stand at its ends
		for at := from + 1; at < to-1; at++ {
			if one, ok := t.rectOf(at); ok {
				all = around(all, one)
			}
		}
	}
	return Line{Text: text, Rect: all}, true
}

// isRightToLeft reports whether a letter is written from the right.
func isRightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// around returns the rectangle from a to b.
func around(a, b Rect) Rect {
	left, top := min(a.Left, b.Left), min(a.Top, b.Top)
	return Rect{
		Left: left, Top: top,
		Width: max(a.Left+a.Width, b.Left+b.Width) - left, Height: max(a.Top+a.Height, b.Top+b.Height) - top,
	}
}

// plain returns the text in reading order, a line feed after each line.
func (t *pageText) plain() string {
	return strings.ReplaceAll(string(utf16.Decode(t.units)), "\r\n", "\n")
}
