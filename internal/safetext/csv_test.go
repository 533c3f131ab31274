package safetext_test

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/safetext"
)

func TestCell_FormulasEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"plain":            "plain",
		"a-b+c=d@e":        "a-b+c=d@e",
		"x@y.example":      "x@y.example",
		"'=1":              "'=1",
		"=1+1":             "'=1+1",
		"+1":               "'+1",
		"-1":               "'-1",
		"@SUM(A1)":         "'@SUM(A1)",
		"＝1+1":             "'＝1+1",
		"＋1":               "'＋1",
		"－1":               "'－1",
		"＠x":               "'＠x",
		"\t=1":             "'\t'=1",
		"\rx":              "'\rx",
		"\nx":              "'\nx",
		"\r\n=1":           "'\r\n'=1",
		"a\r\nb":           "a\r\nb",
		"a\n\nb":           "a\n'\nb",
		"a;=1":             "a;'=1",
		"a; -1":            "a; '-1",
		"a,@x":             "a,'@x",
		"a, -1":            "a, '-1",
		"a,\r\nb":          "a,\r\nb",
		"a\t+1":            "a\t'+1",
		"a\n=1":            "a\n'=1",
		"a\r=1":            "a\r'=1",
		`a"=1`:             `a"'=1`,
		`a"";=1`:           `a"";'=1`,
		" =1":              " '=1",
		"\u00a0=1":         "\u00a0'=1",
		"\ufeff=1":         "\ufeff'=1",
		"\u200b\u2028＝1":   "\u200b\u2028'＝1",
		"Alice; Bob - Eve": "Alice; Bob - Eve",
	} {
		if got := safetext.Cell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Every record has its cells, with their texts, and at whichever character a program
// splits them, no piece begins a formula.
func FuzzRecord(f *testing.F) {
	for _, text := range []string{"plain", "=1+1", "a\r\nb", `"`, ",", ";=", "\t-", "'", "\r", "\n\n", "é\u2028", "\ufeff=1", "", "－;＋", "\r\r\n@", "\xff=1", `\.`} {
		f.Add(text, text)
	}
	pieces, lineBreak := regexp.MustCompile(`[;,\t\r\n"]`), strings.NewReplacer("\r\n", "\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "\ufffd"), strings.ToValidUTF8(b, "\ufffd")
		line := string(safetext.AppendRecord(nil, "id", a, b))
		if !strings.HasSuffix(line, "\r\n") {
			t.Fatalf("%q has no end", line)
		}
		records, err := csv.NewReader(strings.NewReader(line)).ReadAll()
		if err != nil || len(records) != 1 || len(records[0]) != 3 {
			t.Fatalf("%q: %q, %v", line, records, err)
		}
		for i, text := range []string{"id", a, b} {
			cell := records[0][i]
			if want := lineBreak.Replace(safetext.Cell(text)); cell != want { // the reader changes it
				t.Errorf("%q is read as %q", text, cell)
			}
			if got := withoutApostrophes(safetext.Cell(text)); got != withoutApostrophes(text) {
				t.Errorf("%q becomes %q", text, got)
			}
			for _, piece := range pieces.Split(cell, -1) {
				if strings.IndexAny(strings.TrimSpace(piece), "=+-@＝＋－＠") == 0 {
					t.Errorf("%q of %q would be calculated", piece, cell)
				}
			}
			if strings.IndexAny(cell, "\t\r\n") == 0 {
				t.Errorf("%q begins with a control", cell)
			}
		}
	})
}

func withoutApostrophes(text string) string { return strings.ReplaceAll(text, "'", "") }
