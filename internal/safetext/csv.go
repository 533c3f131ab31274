package safetext

import (
	"bytes"
	"encoding/csv"
	"strings"
	"unicode"
)

// AppendRecord appends a record of CSV to line (RFC 4180), each cell as Cell returns it.
// Line breaks within a cell stay as they are.
func AppendRecord(line []byte, cells ...string) []byte {
	record := make([]string, len(cells))
	for i, cell := range cells {
		record[i] = Cell(cell)
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out) // not UseCRLF, which changes the line breaks of cells
	_ = w.Write(record)      // a buffer takes everything
	w.Flush()
	return append(append(line, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), "\r\n"...)
}

// Cell returns text as a cell that no spreadsheet calculates: an apostrophe stands
// directly before each character that begins a formula (OWASP, CSV injection), wherever
// a cell could begin if a program splits the table elsewhere than at its commas: at the
// beginning of text, and behind a separator, a quote or a line break. White space and
// what cannot be seen may stand in between, since some programs trim it.
func Cell(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return isSign(r) || isControl(r) }) {
		return text
	}
	var out strings.Builder
	begins, comma, before := true, false, rune(0)
	for _, r := range text {
		sameBreak := before == '\r' && r == '\n'
		if (begins || comma) && isSign(r) || begins && isControl(r) && !sameBreak {
			out.WriteByte('\'')
		}
		out.WriteRune(r)
		begins = endsCell(r) || begins && isUnseen(r)
		comma = r == ',' || comma && isUnseen(r) // within quotes, where only a careless program splits
		before = r
	}
	return out.String()
}

func isSign(r rune) bool { return strings.ContainsRune("=+-@＝＋－＠", r) }

func isControl(r rune) bool { return strings.ContainsRune("\t\r\n", r) }

func endsCell(r rune) bool { return strings.ContainsRune(";\"\t\r\n\v\f\u0085\u2028\u2029", r) }

func isUnseen(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Z) }
