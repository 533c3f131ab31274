package pdf

import (
	"strings"

	ledongthuc "github.com/ledongthuc/pdf"
	"github.com/pdfcpu/pdfcpu/pkg/font"
)

// textFont is a font as far as it says where glyphs stand.
type textFont struct {
	encoder   ledongthuc.TextEncoding
	composite bool // of two bytes a code
	widths    map[int]float64
	otherwise float64 // the width of a code without one; 0: as the standard font
	standard  string  // the standard font whose widths count; "" is none
	descent   float64 // of the size, below zero
	known     map[int]character
}

// character is what a code shows.
type character struct {
	runes   []rune
	width   float64 // in thousandths of the size
	isSpace bool    // a code of one byte to which word spacing applies
}

func (t *textReader) font(resources ledongthuc.Value, name string) *textFont {
	if known, ok := t.fonts[name]; ok {
		return known
	}
	found := newTextFont(resources.Key("Font").Key(name))
	t.fonts[name] = found
	return found
}

// The measures of a font that tells none: Helvetica's descent, and a width that
// most letters come near to.
const (
	usualDescent = -0.207
	usualWidth   = 500
)

func newTextFont(v ledongthuc.Value) *textFont {
	if v.IsNull() {
		return nil
	}
	source := ledongthuc.Font{V: v}
	f := &textFont{encoder: source.Encoder(), widths: map[int]float64{}, descent: usualDescent, known: map[int]character{}}
	descriptor := v.Key("FontDescriptor")
	if v.Key("Subtype").Name() == "Type0" {
		f.composite = true
		below := v.Key("DescendantFonts").Index(0)
		descriptor = below.Key("FontDescriptor")
		f.compositeWidths(below)
	} else {
		f.simpleWidths(source, descriptor)
	}
	if d := descriptor.Key("Descent").Float64() / 1000; d < 0 && d > -1 {
		f.descent = d
	}
	return f
}

func (f *textFont) simpleWidths(source ledongthuc.Font, descriptor ledongthuc.Value) {
	first := source.FirstChar()
	for i, width := range source.Widths() {
		f.widths[first+i] = width
	}
	f.otherwise = descriptor.Key("MissingWidth").Float64()
	if len(f.widths) > 0 {
		return
	}
	_, name, subset := strings.Cut(source.BaseFont(), "+")
	if !subset {
		name = source.BaseFont()
	}
	if font.IsCoreFont(name) {
		f.standard = name
	} else if f.otherwise == 0 {
		f.otherwise = usualWidth
	}
}

// compositeWidths reads the widths of a CID font, whose codes are taken to be its
// CIDs.
func (f *textFont) compositeWidths(below ledongthuc.Value) {
	f.otherwise = 1000
	if d := below.Key("DW"); !d.IsNull() {
		f.otherwise = d.Float64()
	}
	w := below.Key("W")
	for i := 0; i+1 < w.Len(); {
		first := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == ledongthuc.Array {
			for j := range list.Len() {
				f.widths[first+j] = list.Index(j).Float64()
			}
			i += 2
			continue
		}
		const most = 1 << 16
		last := min(int(w.Index(i+1).Int64()), most)
		for cid := first; cid <= last; cid++ {
			f.widths[cid] = w.Index(i + 2).Float64()
		}
		i += 3
	}
}

// characters are what the codes of a string show.
func (f *textFont) characters(codes string) []character {
	step := 1
	if f.composite {
		step = 2
	}
	var all []character
	for i := 0; i+step <= len(codes); i += step {
		piece := codes[i : i+step]
		code := int(piece[0])
		if f.composite {
			code = code<<8 | int(piece[1])
		}
		c, ok := f.known[code]
		if !ok {
			c = f.character(code, piece)
			f.known[code] = c
		}
		all = append(all, c)
	}
	return all
}

func (f *textFont) character(code int, codes string) character {
	c := character{runes: []rune(codes), isSpace: !f.composite && code == ' '}
	if f.encoder != nil {
		c.runes = []rune(f.encoder.Decode(codes))
	}
	c.width = f.width(code, c.runes)
	return c
}

func (f *textFont) width(code int, shown []rune) float64 {
	if width, ok := f.widths[code]; ok {
		return width
	}
	if f.standard != "" && len(shown) > 0 {
		if width, err := font.CharWidth(f.standard, shown[0]); err == nil {
			return float64(width)
		}
		return usualWidth
	}
	return f.otherwise
}
