package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// maxMatches limits the occurrences of a text that are told.
const maxMatches = 2000

// search looks for anchors, page by page until all are found.
type search struct {
	anchors []Anchor
	places  []Place
	passed  []int // occurrences on the pages before, by anchor
}

func newSearch(anchors []Anchor) *search {
	return &search{anchors: anchors, places: make([]Place, len(anchors)), passed: make([]int, len(anchors))}
}

// over reports whether all anchors are found.
func (s *search) over() bool {
	return !slices.ContainsFunc(s.places, func(p Place) bool { return !p.Found })
}

// on searches a page. An anchor that is never found stays a Place without Found.
func (s *search) on(p *openPage) error {
	if s.over() {
		return nil
	}
	t, err := p.text()
	if err != nil {
		return err
	}
	defer t.close()
	words := t.words()
	for i, a := range s.anchors {
		if s.places[i].Found {
			continue
		}
		found := t.find(words, a.Text)
		if at := a.Index - s.passed[i]; at >= 0 && at < len(found) {
			s.places[i] = t.place(words, found[at].at+a.Character)
		}
		s.passed[i] += len(found)
	}
	return nil
}

// words is the text of a page with one space where there is any white space, and for
// each character the unit of pageText that it begins at.
type words struct {
	runes []rune
	units []int
}

func (t *pageText) words() (w words) {
	for at := 0; at < len(t.units); {
		r, size := rune(t.units[at]), 1
		if utf16.IsSurrogate(r) && at+1 < len(t.units) {
			r, size = utf16.DecodeRune(r, rune(t.units[at+1])), 2
		}
		if unicode.IsSpace(r) {
			r = ' '
		}
		if n := len(w.runes); r != ' ' || n > 0 && w.runes[n-1] != ' ' {
			w.runes, w.units = append(w.runes, r), append(w.units, at)
		}
		at += size
	}
	return w
}

// hit is an occurrence of a text: its index in the words of a page, and its position.
type hit struct {
	at   int
	rect Rect
}

// find returns the positions of a text on the page, in reading order: from the top, and
// from the left in a line. What stands beside the displayed part of the page is no hit. It compares exactly, except for white space.
func (t *pageText) find(w words, text string) (found []hit) {
	wanted := []rune(strings.Join(strings.Fields(text), " "))
	if len(wanted) == 0 {
		return nil
	}
	for at := 0; at+len(wanted) <= len(w.runes); at++ {
		if !slices.Equal(w.runes[at:at+len(wanted)], wanted) {
			continue
		}
		if r, ok := t.rectOf(w.units[at]); ok && t.shows(r) {
			found = append(found, hit{at, r})
		}
		at += len(wanted) - 1
	}
	slices.SortStableFunc(found, func(i, j hit) int {
		a, b := i.rect, j.rect
		if math.Abs(a.Top-b.Top) < min(a.Height, b.Height)/2 {
			return cmp.Compare(a.Left, b.Left)
		}
		return cmp.Compare(a.Top, b.Top)
	})
	return found
}

// occurrences returns the positions of a text in all pages.
func (o *openDocument) occurrences(text string) (all []Place, err error) {
	for number := 0; number < o.count && len(all) < maxMatches; number++ {
		if all, err = o.occurrencesOn(number, text, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// occurrencesOn adds the positions of a text on a page to all.
func (o *openDocument) occurrencesOn(number int, text string, all []Place) ([]Place, error) {
	p, err := o.page(number)
	if err != nil {
		return nil, err
	}
	defer p.close()
	t, err := p.text()
	if err != nil {
		return nil, err
	}
	defer t.close()
	w, length := t.words(), len([]rune(strings.Join(strings.Fields(text), " ")))
	for _, found := range t.find(w, text) {
		if len(all) == maxMatches {
			break
		}
		all = append(all, Place{Found: true, Page: number, Rect: t.extent(w, found, length)})
	}
	return all, nil
}

// extent returns the rectangle around those characters of a hit that stand in the line of
// its first one, from whichever side they are written.
func (t *pageText) extent(w words, found hit, length int) Rect {
	first, all := found.rect, found.rect
	for at := found.at + 1; at < found.at+length; at++ {
		if r, ok := t.rectOf(w.units[at]); ok && r.Top < first.Top+first.Height && r.Top+r.Height > first.Top {
			all = around(all, r)
		}
	}
	return all
}

// place returns the position of a character of the words.
func (t *pageText) place(w words, at int) Place {
	if at < 0 || at >= len(w.units) {
		return Place{}
	}
	r, ok := t.rectOf(w.units[at])
	return Place{Found: ok, Page: t.number, Rect: r}
}
