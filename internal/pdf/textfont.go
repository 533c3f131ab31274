package pdf

import (
	"strings"

	ledongthuc "github.com/ledongthuc/pdf"
	"github.com/pdfcpu/pdfcpu/pkg/font"
)

// textFont is a font as far as it says where glyphs stand.
type textFont struct {
	meaning   *toUnicodeMap // nil where the font has none
	encoder   ledongthuc.TextEncoding
	composite bool // of two bytes a code
	unicode   bool // the codes of a composite font are UTF-16
	widths    map[int]float64
	otherwise float64 // the width of a code without one; 0: as the standard font
	standard  string  // the standard font whose widths count; "" is none
	// ascent and descent are of the size, descent below zero.
	ascent, descent float64
	known           map[int]character
}

// character is what a code shows.
type character struct {
	runes   []rune
	width   float64 // in thousandths of the size
	isSpace bool    // a code of one byte to which word spacing applies
}

// font is that of a name. Pages mostly have the same ones, so that they are read
// once.
func (t *textReader) font(resources ledongthuc.Value, name string) *textFont {
	if known, ok := t.fonts[name]; ok {
		return known
	}
	v := resources.Key("Font").Key(name)
	key := v.String()
	found, ok := t.allFonts[key]
	if !ok {
		found = newTextFont(v)
		t.allFonts[key] = found
	}
	t.fonts[name] = found
	return found
}

// The measures of a font that tells none, and a width that most letters come near
// to.
const (
	usualAscent  = 0.95
	usualDescent = -0.35
	usualWidth   = 500
)

func newTextFont(v ledongthuc.Value) *textFont {
	if v.IsNull() {
		return nil
	}
	source := ledongthuc.Font{V: v}
	f := &textFont{meaning: readToUnicode(v.Key("ToUnicode")), widths: map[int]float64{}, known: map[int]character{}}
	descriptor := v.Key("FontDescriptor")
	if v.Key("Subtype").Name() == "Type0" {
		f.composite, f.unicode = true, isUnicode(v.Key("Encoding").Name())
		below := v.Key("DescendantFonts").Index(0)
		descriptor = below.Key("FontDescriptor")
		f.compositeWidths(below)
	} else {
		f.encoder = source.Encoder()
		f.simpleWidths(source, descriptor)
	}
	f.measure(descriptor, source.BaseFont())
	return f
}

// isUnicode reports whether a predefined CMap takes UTF-16.
func isUnicode(encoding string) bool {
	return strings.Contains(encoding, "UTF16") || strings.Contains(encoding, "UCS2")
}

// standardMeasures are the ascent and descent of the standard fonts, by how their
// names begin.
var standardMeasures = map[string][2]float64{"Helvetica": {0.718, -0.207}, "Times": {0.683, -0.217}, "Courier": {0.629, -0.157}}

// measure finds the ascent and descent. Descriptors that tell none, or impossible
// ones, do not count.
func (f *textFont) measure(descriptor ledongthuc.Value, name string) {
	f.ascent, f.descent = usualAscent, usualDescent
	family, _, _ := strings.Cut(name, "-")
	if known, ok := standardMeasures[family]; ok {
		f.ascent, f.descent = known[0], known[1]
	}
	const most = 3
	if a := abs(descriptor.Key("Ascent").Float64() / 1000); a > 0 && a < most {
		f.ascent = a
	}
	if d := abs(descriptor.Key("Descent").Float64() / 1000); d > 0 && d < most {
		f.descent = -d
	}
}

func (f *textFont) simpleWidths(source ledongthuc.Font, descriptor ledongthuc.Value) {
	first, unit := source.FirstChar(), 1.0
	if source.V.Key("Subtype").Name() == "Type3" { // Its widths are in a space of its own.
		unit = 1000 * source.V.Key("FontMatrix").Index(0).Float64()
	}
	for i, width := range source.Widths() {
		f.widths[first+i] = width * unit
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
	c := character{isSpace: !f.composite && code == ' '}
	if meaning, ok := f.meaning.find(code); ok {
		c.runes = meaning
	} else if f.unicode {
		c.runes = utf16Text(codes)
	} else if f.encoder != nil {
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
