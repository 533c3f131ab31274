package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// The font for characters that Helvetica lacks is Go Regular: Latin, Greek and Cyrillic.
// Characters that it lacks too are shown as a box, but can still be read back.

// embeddedFont returns the font, parsed at the first need.
var embeddedFont = sync.OnceValue(func() *sfnt.Font {
	font, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // cannot happen: it is part of the program
	}
	return font
})

// thousandths is the scale of widths in a PDF.
const thousandths = 1000

// embeddedGlyph returns the number of a character's glyph, 0 if there is none, and its
// width in thousandths of the size.
func embeddedGlyph(r rune) (glyph int, width float64) {
	index, err := embeddedFont().GlyphIndex(nil, r)
	if err != nil || index == 0 {
		return 0, thousandths
	}
	advance, err := embeddedFont().GlyphAdvance(nil, index, thousandths<<6, 0)
	if err != nil {
		return 0, thousandths
	}
	return int(index), float64(advance) / (1 << 6)
}

// fontFile is the font's file as a stream object, made at the first need.
var fontFile = sync.OnceValue(func() string {
	return deflate(fmt.Sprintf("/Length1 %d", len(goregular.TTF)), goregular.TTF)
})

// addOtherFont adds the font for characters that latinFont lacks, with the widths of those of
// the text, and returns its number. Codes are UTF-16.
func (o *objects) addOtherFont(text string) int {
	widths, codeGlyphs := map[int]float64{}, make([]byte, 2<<16)
	for _, r := range text {
		code := int(r)
		if font, _, _ := encode(r); font != otherFont || len(utf16.Encode([]rune{r})) > 1 {
			continue
		}
		glyph, width := embeddedGlyph(r)
		widths[code], codeGlyphs[2*code], codeGlyphs[2*code+1] = width, byte(glyph>>8), byte(glyph)
	}
	first := o.add(fontFile(), deflate("", codeGlyphs), deflate("", []byte(toUnicode())))
	return o.add(fmt.Sprintf(otherFontObject, first+2, widthsOf(widths), first+1, first))
}

// widthsOf returns the member W of a font.
func widthsOf(widths map[int]float64) string {
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(widths)) {
		fmt.Fprintf(&b, "%d[%s]", code, number(widths[code]))
	}
	return b.String()
}

// deflate returns a compressed stream object with additional members.
func deflate(members string, content []byte) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(content) // writing to memory does not fail
	_ = w.Close()
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d%s>>\nstream\n%s\nendstream", packed.Len(), members, packed.String())
}
