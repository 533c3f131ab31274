package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	ledongthuc "github.com/ledongthuc/pdf"
)

// places finds the anchors in the text of a file, page by page until all are
// found. An anchor that is nowhere is a place that is not found.
func (o *opened) places(anchors []Anchor) []Place {
	places := make([]Place, len(anchors))
	passed := make([]int, len(anchors))
	reader, err := o.openReader()
	if err != nil {
		return places
	}
	t := &textReader{allFonts: map[string]*textFont{}}
	shown := reader.Trailer().Key(shownKey)
	for number, page := range o.pages {
		text := t.shownText(shown.Index(number), page)
		left := false
		for i, a := range anchors {
			if places[i].Found {
				continue
			}
			found := text.find(a.Text)
			if at := a.Index - passed[i]; at >= 0 && at < len(found) {
				places[i] = text.place(number, found[at], a.Character)
			}
			passed[i] += len(found)
			left = left || !places[i].Found
		}
		if !left {
			break
		}
	}
	return places
}

// shownText is the text of a page, given its contents and its resources; a page
// that cannot be read has none. It holds until the next page is read.
func (t *textReader) shownText(shown ledongthuc.Value, page pageObject) *pageText {
	glyphs := t.glyphsOf(shown)
	for i := range glyphs {
		glyphs[i].rect = page.rect(glyphs[i].box)
	}
	t.text.space(glyphs)
	return &t.text
}

// glyph is a character where it stands.
type glyph struct {
	char rune
	box  [4]float64 // in the file's coordinates
	rect Rect       // on the page as it is displayed
	// begin and end are where the glyph's advance begins and ends, on the line that
	// it stands on.
	begin, end [2]float64
	size       float64 // of the font; 0 for a space that only separates
}

// pageText is the text of a page, with one space where there is any white space
// or a gap.
type pageText struct {
	runes  []rune
	glyphs []glyph
}

// space makes the text anew of glyphs: it puts spaces where they stand apart, and
// makes one of several.
func (t *pageText) space(glyphs []glyph) {
	t.runes, t.glyphs = t.runes[:0], t.glyphs[:0]
	for i, g := range glyphs {
		if i > 0 && apart(&glyphs[i-1], &g) {
			t.add(glyph{char: ' ', rect: g.rect})
		}
		t.add(g)
	}
}

func (t *pageText) add(g glyph) {
	if unicode.IsSpace(g.char) {
		g.char = ' '
		if n := len(t.runes); n == 0 || t.runes[n-1] == ' ' {
			return
		}
	}
	t.runes, t.glyphs = append(t.runes, g.char), append(t.glyphs, g)
}

// apart reports whether two glyphs are of different words or lines, whichever
// way they run.
func apart(a, b *glyph) bool {
	const gap = 0.2
	return math.Hypot(b.begin[0]-a.end[0], b.begin[1]-a.end[1]) > gap*max(a.size, b.size)
}

func abs(n float64) float64 { return max(n, -n) }

// find is where in the text the wanted one begins, in the order of reading: from
// the top, and from the left in a line.
func (t *pageText) find(text string) []int {
	wanted := []rune(strings.Join(strings.Fields(text), " "))
	if len(wanted) == 0 {
		return nil
	}
	var found []int
	for at := 0; at+len(wanted) <= len(t.runes); at++ {
		if slices.Equal(t.runes[at:at+len(wanted)], wanted) {
			found = append(found, at)
			at += len(wanted) - 1
		}
	}
	slices.SortStableFunc(found, func(i, j int) int {
		a, b := t.glyphs[i].rect, t.glyphs[j].rect
		if abs(a.Top-b.Top) < min(a.Height, b.Height)/2 {
			return cmp.Compare(a.Left, b.Left)
		}
		return cmp.Compare(a.Top, b.Top)
	})
	return found
}

// place is where a character of the text that begins at that place stands.
func (t *pageText) place(page, at, character int) Place {
	if character < 0 || at+character >= len(t.glyphs) {
		return Place{}
	}
	return Place{Found: true, Page: page, Rect: t.glyphs[at+character].rect}
}
