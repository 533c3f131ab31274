package pdf

import (
	"image"
	"image/color"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"countersign/internal/pdf/fonts"
)

// maxTextObjects limits the texts of a page that are looked through for characters
// without a glyph, maxNesting the forms within forms.
const (
	maxTextObjects = 20_000
	maxNesting     = 8
)

// missing returns the number of the page's characters for which nothing is in the picture,
// and the fonts that lack them.
func (p *openPage) missing(picture image.Image) (count int, lacking []fonts.MissingFont) {
	t, err := p.text()
	if err != nil {
		return 0, nil
	}
	defer t.close()
	l := pageFonts{pageText: t, fonts: map[string]*usedFont{}}
	l.page()
	without := map[rune]bool{}
	for _, name := range l.names {
		one := l.fonts[name]
		for _, r := range one.without {
			without[r] = true
		}
		if len(one.without) > 0 && !one.embedded {
			lacking = append(lacking, one.MissingFont)
		}
	}
	if len(without) > 0 {
		count = t.blank(picture, without)
	}
	if count == 0 {
		lacking = nil
	}
	return count + l.unread + p.missingEntries(), lacking
}

// missingEntries returns the number of characters that no font has, in the entries of the
// page's form that are drawn in a font that is not in the file.
func (p *openPage) missingEntries() (count int) {
	_ = p.eachWidget(func(w widget) bool {
		if kind := w.kind(); kind != KindText && kind != KindChoice || w.bringsFont() {
			return true
		}
		entry, err := p.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: p.form, Annotation: w.annotation})
		if err == nil {
			count += p.fonts.Lacks(entry.FormFieldValue)
		}
		return true
	}) // a page whose form cannot be read has been drawn
	return count
}

// bringsFont reports whether the field's picture has a text in a font that is in the file.
func (w widget) bringsFont() bool {
	const most = 100
	objects, err := w.FPDFAnnot_GetObjectCount(&requests.FPDFAnnot_GetObjectCount{Annotation: w.annotation})
	for i := 0; err == nil && i < min(objects.Count, most); i++ {
		one, err := w.FPDFAnnot_GetObject(&requests.FPDFAnnot_GetObject{Annotation: w.annotation, Index: i})
		if err != nil {
			continue
		}
		used, err := w.FPDFTextObj_GetFont(&requests.FPDFTextObj_GetFont{PageObject: one.PageObject})
		if err != nil {
			continue // not a text
		}
		if embedded, err := w.FPDFFont_GetIsEmbedded(&requests.FPDFFont_GetIsEmbedded{Font: used.Font}); err == nil && embedded.IsEmbedded {
			return true
		}
	}
	return false
}

// pageFonts is the texts of a page by their fonts.
type pageFonts struct {
	*pageText
	fonts map[string]*usedFont
	names []string // of fonts, as they occur
	seen  int
	// unread counts the texts of which nothing can be read, since nothing of them is drawn.
	unread int
}

// usedFont is a font of a page with the characters that are shown in it.
type usedFont struct {
	fonts.MissingFont
	embedded bool
	known    map[rune]bool
	without  []rune // those that have no glyph
}

// page reads the texts of the page.
func (l *pageFonts) page() {
	objects, err := l.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: l.ref()})
	if err != nil {
		return
	}
	for i := 0; i < objects.Count && l.seen < maxTextObjects; i++ {
		if one, err := l.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: l.ref(), Index: i}); err == nil {
			l.object(one.PageObject, 0)
		}
	}
}

// object reads a text, or the texts of a form.
func (l *pageFonts) object(one references.FPDF_PAGEOBJECT, depth int) {
	l.seen++
	kind, err := l.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: one})
	switch {
	case err != nil:
	case kind.Type == enums.FPDF_PAGEOBJ_TEXT:
		l.shown(one)
	case kind.Type == enums.FPDF_PAGEOBJ_FORM && depth < maxNesting:
		inside, err := l.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: one})
		for i := 0; err == nil && i < inside.Count && l.seen < maxTextObjects; i++ {
			if part, err := l.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: one, Index: uint64(i)}); err == nil {
				l.object(part.PageObject, depth+1)
			}
		}
	}
}

// shown reads a text, unless it is not to be seen, as the text of a scan is.
func (l *pageFonts) shown(one references.FPDF_PAGEOBJECT) {
	mode, err := l.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: one})
	if err != nil || mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE || mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_CLIP {
		return
	}
	text, err := l.FPDFTextObj_GetText(&requests.FPDFTextObj_GetText{PageObject: one, TextPage: l.handle})
	if err != nil {
		return
	}
	found, err := l.FPDFTextObj_GetFont(&requests.FPDFTextObj_GetFont{PageObject: one})
	if err != nil {
		return
	}
	f := l.font(found.Font)
	if text.Text == "" && !f.embedded && l.isEmpty(one) {
		l.unread++
	}
	for _, r := range text.Text {
		if f.known[r] || !fonts.IsShown(r) {
			continue
		}
		f.known[r] = true
		f.Text = append(f.Text, r)
		if !l.hasGlyph(found.Font, r) {
			f.without = append(f.without, r)
		}
	}
}

// isEmpty reports whether an object takes no place, as a text that is written downwards does
// where its font has none of its characters: PDFium has then no text of it either.
func (l *pageFonts) isEmpty(one references.FPDF_PAGEOBJECT) bool {
	at, err := l.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: one})
	return err == nil && (at.Right <= at.Left || at.Top <= at.Bottom)
}

// font returns what is known of a font.
func (l *pageFonts) font(font references.FPDF_FONT) *usedFont {
	var name, face string
	if got, err := l.FPDFFont_GetBaseFontName(&requests.FPDFFont_GetBaseFontName{Font: font}); err == nil {
		name = got.BaseFontName
	}
	if f := l.fonts[name]; f != nil {
		return f
	}
	if got, err := l.FPDFFont_GetFamilyName(&requests.FPDFFont_GetFamilyName{Font: font}); err == nil {
		face = got.FamilyName
	}
	const fixed, serif = 1 << 0, 1 << 1
	f := &usedFont{MissingFont: fonts.MissingFont{Name: name, Face: face}, known: map[rune]bool{}}
	if got, err := l.FPDFFont_GetFlags(&requests.FPDFFont_GetFlags{Font: font}); err == nil {
		f.Fixed, f.Serif = got.Flags&fixed != 0, got.Flags&serif != 0
	}
	if got, err := l.FPDFFont_GetIsEmbedded(&requests.FPDFFont_GetIsEmbedded{Font: font}); err == nil {
		f.embedded = got.IsEmbedded
	}
	l.fonts[name], l.names = f, append(l.names, name)
	return f
}

// hasGlyph reports whether a font draws something for a character.
func (l *pageFonts) hasGlyph(font references.FPDF_FONT, r rune) bool {
	const size = 10
	path, err := l.FPDFFont_GetGlyphPath(&requests.FPDFFont_GetGlyphPath{Font: font, Glyph: uint32(r), FontSize: size})
	if err != nil {
		return false
	}
	segments, err := l.FPDFGlyphPath_CountGlyphSegments(&requests.FPDFGlyphPath_CountGlyphSegments{GlyphPath: path.GlyphPath})
	return err == nil && segments.Count > 0
}

// blank counts the characters of a set at whose places the picture is of one colour.
func (t *pageText) blank(picture image.Image, of map[rune]bool) (count int) {
	w := t.words()
	for i, r := range w.runes {
		if !of[r] {
			continue
		}
		if place, ok := t.rectOf(w.units[i]); ok && isPlain(picture, t.inner(place, picture.Bounds())) {
			count++
		}
	}
	return count
}

// inner returns the middle of a place in a picture of the page, where lines above and below
// a text do not reach.
func (p *openPage) inner(place Rect, bounds image.Rectangle) image.Rectangle {
	const margin = 0.2
	x, y := float64(bounds.Dx())/max(p.size.Width, 1), float64(bounds.Dy())/max(p.size.Height, 1)
	return image.Rect(
		int((place.Left+place.Width*margin)*x), int((place.Top+place.Height*margin)*y),
		int((place.Left+place.Width*(1-margin))*x)+1, int((place.Top+place.Height*(1-margin))*y)+1,
	).Intersect(bounds)
}

// isPlain reports whether a part of a picture has one colour alone; no part has none.
func isPlain(picture image.Image, part image.Rectangle) bool {
	if part.Empty() {
		return false
	}
	first := grey(picture.At(part.Min.X, part.Min.Y))
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			const visible = 24
			if other := grey(picture.At(x, y)); max(first, other)-min(first, other) > visible {
				return false
			}
		}
	}
	return true
}

// grey returns the luminance of a color, as color.GrayModel does.
func grey(c color.Color) uint8 {
	r, g, b, _ := c.RGBA()
	return uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 24)
}
