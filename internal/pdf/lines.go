package pdf

import "strings"

// maxLines is how many lines of a page are read at most.
const maxLines = 2000

// lines are the lines of text of a page.
func lines(file []byte, page int) ([]Line, error) {
	o, err := open(file)
	if err != nil || page >= len(o.pages) {
		return nil, err
	}
	reader, err := o.openReader()
	if err != nil {
		return nil, err
	}
	t := &textReader{allFonts: map[string]*textFont{}}
	return t.shownText(reader.Trailer().Key(shownKey).Index(page), o.pages[page]).lines(), nil
}

// lines are those of the text, in the order in which they are written.
func (t *pageText) lines() (all []Line) {
	for from := 0; from < len(t.glyphs) && len(all) < maxLines; {
		to := from + 1
		for to < len(t.glyphs) && follows(t.glyphs[to-1].rect, t.glyphs[to].rect) {
			to++
		}
		if text := strings.TrimSpace(string(t.runes[from:to])); text != "" {
			all = append(all, Line{Text: text, Rect: around(t.glyphs[from].rect, t.glyphs[to-1].rect)})
		}
		from = to
	}
	return all
}

// follows reports whether b goes on in the line of a.
func follows(a, b Rect) bool {
	const apart = 3 // heights
	gap := b.Left - (a.Left + a.Width)
	return abs(a.Top-b.Top) < max(a.Height, b.Height)/2 && abs(gap) < apart*max(a.Height, b.Height)
}

// around is the rectangle from a to b.
func around(a, b Rect) Rect {
	left, top := min(a.Left, b.Left), min(a.Top, b.Top)
	return Rect{
		Left: left, Top: top,
		Width: max(a.Left+a.Width, b.Left+b.Width) - left, Height: max(a.Top+a.Height, b.Top+b.Height) - top,
	}
}
