package pdf

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	ledongthuc "github.com/ledongthuc/pdf"
)

// places finds the anchors in the text of a file, page by page until all are
// found. An anchor that is nowhere is a place that is not found.
func (o *opened) places(file []byte, anchors []Anchor) []Place {
	places := make([]Place, len(anchors))
	passed := make([]int, len(anchors))
	reader, err := openReader(file)
	if err != nil {
		return places
	}
	for number, page := range o.pages {
		text := shownText(reader, number, page)
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

// shownText is the text of a page, from 0; a page that cannot be read has none.
func shownText(reader *ledongthuc.Reader, number int, page pageObject) pageText {
	glyphs := glyphsOf(reader, number+1)
	for i := range glyphs {
		glyphs[i].rect = page.rect(glyphs[i].box)
	}
	return spaced(glyphs)
}

// openReader opens a file for its text. A panic is an error.
func openReader(file []byte) (reader *ledongthuc.Reader, err error) {
	defer func() {
		if recover() != nil {
			err = &Refusal{Reason: reasonDamaged}
		}
	}()
	return ledongthuc.NewReader(bytes.NewReader(file), int64(len(file)))
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

// spaced puts spaces where glyphs stand apart, and makes one of several.
func spaced(glyphs []glyph) pageText {
	var t pageText
	add := func(g glyph) {
		if unicode.IsSpace(g.char) {
			g.char = ' '
			if n := len(t.runes); n == 0 || t.runes[n-1] == ' ' {
				return
			}
		}
		t.runes, t.glyphs = append(t.runes, g.char), append(t.glyphs, g)
	}
	for i, g := range glyphs {
		if i > 0 && apart(glyphs[i-1], g) {
			add(glyph{char: ' ', rect: g.rect})
		}
		add(g)
	}
	return t
}

// apart reports whether two glyphs are of different words or lines, whichever
// way they run.
func apart(a, b glyph) bool {
	const gap = 0.2
	return math.Hypot(b.begin[0]-a.end[0], b.begin[1]-a.end[1]) > gap*max(a.size, b.size)
}

func abs(n float64) float64 { return max(n, -n) }

// find is where in the text the wanted one begins, in the order of reading: from
// the top, and from the left in a line.
func (t pageText) find(text string) []int {
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
func (t pageText) place(page, at, character int) Place {
	if character < 0 || at+character >= len(t.glyphs) {
		return Place{}
	}
	return Place{Found: true, Page: page, Rect: t.glyphs[at+character].rect}
}
