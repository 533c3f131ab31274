package pdf

import (
	"bytes"
	"fmt"
	"strings"
)

// The paper size of Text, A4, in points.
const (
	paperWidth  = 595
	paperHeight = 842
	margin      = 56
	textSize    = 10
	leading     = 14
)

// Text returns a PDF with these lines, on as many pages as needed. It wraps long lines.
func Text(lines ...string) []byte {
	const perPage = (paperHeight - 2*margin) / leading
	var broken []string
	for _, line := range lines {
		broken = append(broken, breakLine(strings.ToValidUTF8(line, "?"))...)
	}
	var pages []string
	for {
		n := min(perPage, len(broken))
		pages = append(pages, pageContent(broken[:n]))
		if broken = broken[n:]; len(broken) == 0 {
			return document(paperWidth, paperHeight, strings.Join(lines, ""), pages)
		}
	}
}

// document returns a PDF of pages of that size with these contents, which show the
// characters of text.
func document(width, height int, text string, contents []string) []byte {
	var w objects
	w.add("<</Type/Catalog/Pages 2 0 R>>", "", latinFontObject, scriptFontObject)
	fonts := fmt.Sprintf("/%s 3 0 R/%s 4 0 R", latinFont, scriptFont)
	if needOtherFont(text) {
		fonts += fmt.Sprintf("/%s %d 0 R", otherFont, w.addOtherFont(text))
	}
	var kids []string
	for _, content := range contents {
		page := w.add("", stream(content))
		w.list[page-1] = fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources<</Font<<%s>>>>>>", width, height, page+1, fonts)
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.list[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.Join(kids, " "), len(kids))
	return w.file()
}

// pageContent returns the content that shows lines from the top of a page.
func pageContent(lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT %d TL %d %d Td\n", leading, margin, paperHeight-margin-textSize)
	for _, line := range lines {
		b.WriteString(show(line, textSize) + "T*\n")
	}
	b.WriteString("ET")
	return b.String()
}

// breakLine splits a line into pieces that fit between the margins, at spaces if there
// are any.
func breakLine(line string) []string {
	var pieces []string
	for widthOf(line, textSize) > paperWidth-2*margin {
		end, space, width := 0, 0, 0.0
		for i, r := range line {
			_, _, w := encode(r)
			if width += w * textSize / 1000; width > paperWidth-2*margin {
				break
			}
			if end = i + len(string(r)); r == ' ' {
				space = end
			}
		}
		if space > 0 {
			end = space
		}
		pieces, line = append(pieces, line[:end]), line[end:]
	}
	return append(pieces, line)
}

// objects are the objects of a file that is being written, the first one its catalog.
type objects struct{ list []string }

// add adds objects and returns the number of the first.
func (o *objects) add(contents ...string) int {
	first := len(o.list) + 1
	o.list = append(o.list, contents...)
	return first
}

// stream returns a stream object.
func stream(content string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
}

// file returns the PDF.
func (o *objects) file() []byte {
	var file bytes.Buffer
	var table strings.Builder
	file.WriteString("%PDF-1.7\n")
	table.WriteString("0000000000 65535 f \n")
	for i, object := range o.list {
		fmt.Fprintf(&table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(o.list)+1, table.String(), len(o.list)+1, start)
	return file.Bytes()
}
