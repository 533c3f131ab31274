package templates

import (
	"bytes"
	"slices"
	"strings"

	"countersign/internal/safetext"
)

// Texts by people are isolated from what stands beside them, so that a name that turns the
// direction of writing turns nothing else. Templates write them with isolate, and the
// messages that they are filled into isolate them (Printer.T): by the two characters of
// safetext, which work in a page's title too. In the text of a page, elements take the place
// of the characters, since those would go along with what is copied. Attributes have neither:
// they are heard, or stand alone, and without controls nothing in them turns.

// withElements returns a page with the element bdi instead of the characters of isolation,
// wherever an element may stand.
func withElements(page []byte) []byte {
	if !bytes.Contains(page, firstStrong) {
		return page
	}
	out := make([]byte, 0, len(page)+len(page)/8)
	within := "" // the name of an element that holds no other elements of HTML
	for len(page) > 0 {
		text, rest := split(page, '<')
		switch within {
		case "":
			text = isolating(text)
		case "option", "svg": // its texts stand alone, and scripts take them
			text = unmarked(text)
		}
		tag, after := split(rest, '>')
		if len(after) > 0 {
			tag, after = append(slices.Clip(tag), '>'), after[1:]
		}
		out = append(append(out, text...), unmarked(tag)...)
		within, page = plainAfter(within, tag), after
	}
	return out
}

// split returns what stands before the first end in page, and the rest from it on.
func split(page []byte, end byte) (before, rest []byte) {
	if i := bytes.IndexByte(page, end); i >= 0 {
		return page[:i], page[i:]
	}
	return page, nil
}

// plain are the elements in which text stays as it is: they hold text alone, or SVG.
var plain = []string{"title", "textarea", "option", "script", "style", "svg"}

// plainAfter returns the element of plain that is open behind tag, if within was before it.
func plainAfter(within string, tag []byte) string {
	name, _, _ := strings.Cut(strings.Trim(string(tag), "<>"), " ")
	switch {
	case within != "" && name == "/"+within:
		return ""
	case within == "" && slices.Contains(plain, name):
		return name
	}
	return within
}

// unmarked returns text without the characters of isolation.
func unmarked(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, firstStrong, nil), popIsolate, nil)
}

var firstStrong, popIsolate = []byte(safetext.FirstStrong), []byte(safetext.PopIsolate)

// isolating returns text with elements that are closed within it, whatever it holds. A
// browser that translates the page leaves them as they are.
func isolating(text []byte) []byte {
	open := 0
	var out []byte
	for {
		i := bytes.IndexAny(text, safetext.FirstStrong+safetext.PopIsolate)
		if i < 0 {
			out = append(out, text...)
			return append(out, strings.Repeat("</bdi>", open)...)
		}
		out = append(out, text[:i]...)
		switch {
		case bytes.HasPrefix(text[i:], firstStrong):
			out, open = append(out, `<bdi translate="no">`...), open+1
		case open > 0:
			out, open = append(out, "</bdi>"...), open-1
		}
		text = text[i+len(safetext.FirstStrong):]
	}
}
