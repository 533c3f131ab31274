package pdf_test

import (
	"bytes"
	"compress/lzw"
	"fmt"
	"testing"

	"countersign/internal/pdf"
	"countersign/internal/pdf/pdftest"
)

// onePage is a PDF of one page with these contents, and fonts for its resources.
// Objects 4 and 5 are the contents, and the others follow.
func onePage(first, second, fonts string, objects ...string) []byte {
	return pdftest.File(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/Contents[4 0 R 5 0 R]/Resources<</Font<<" + fonts + ">>>>>>",
		first, second,
	}, objects...)...)
}

const (
	helvetica = "/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	codes     = "1 beginbfchar <41> <0058> endbfchar 2 beginbfrange <42> <43> <0059> <44> <45> [<00660069> <0021>] endbfrange"
)

// Text is found however a file writes it.
func TestTextIsFound(t *testing.T) {
	var packed bytes.Buffer
	w := lzw.NewWriter(&packed, lzw.MSB, 8)
	_, _ = w.Write([]byte("\n")) // It writes into memory.
	_ = w.Close()
	for name, one := range map[string]struct {
		file  []byte
		text  string
		left  float64
		top   float64
		width float64
	}{
		"in streams without white space between them": {onePage(content("BT /F 10 Tf 100 600 Td (Si) Tj"), content("(gn) Tj ET"), helvetica), "Sign", 100, 192.82, 6.67},
		"after an image in the content":               {onePage(content("BI /W 1 /H 1 /BPC 8 ID \xff(EI) EI Q"), content("BT /F 10 Tf 1 0 0 1 100 600 Tm (Sign) Tj ET"), helvetica), "Sign", 100, 192.82, 6.67},
		"after properties":                            {onePage(content("/P <</MCID 0/A[1 2](x)>> BDC BT"), content("/F 10 Tf 100 600 Td (S\\151g\\\nn\\)) Tj ET EMC"), helvetica), "Sign)", 100, 192.82, 6.67},
		"in codes of its own, whatever the encoding says": {onePage(content("BT /F 10 Tf"), content("100 600 Td <4142434445> Tj ET"),
			"/F<</Type/Font/Subtype/Type1/BaseFont/X/FirstChar 65/Widths[400 500 500 500 500]/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>", content(codes)), "XYZfi!", 100, 190.5, 4},
		"in a font that draws its glyphs": {onePage(content("BT /F 10 Tf"), content("100 600 Td (A) Tj ET"),
			"/F<</Type/Font/Subtype/Type3/FontMatrix[0.01 0 0 0.01 0 0]/FirstChar 65/Widths[70]/Encoding<</Differences[65/A]>>>>"), "A", 100, 190.5, 7},
		"in UTF-16": {onePage(content("BT /F 10 Tf"), content("100 600 Td <5c717530> Tj ET"),
			"/F<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/UniJIS-UTF16-H/DescendantFonts[<</Subtype/CIDFontType0/DW 1000>>]>>"), "山田", 100, 190.5, 10},
		"beside a stream in another filter": {onePage(fmt.Sprintf("<</Filter/LZWDecode/DecodeParms<</EarlyChange 0>>/Length %d>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
			content("BT /F 10 Tf 100 600 Td (Sign) Tj ET"), helvetica), "Sign", 100, 192.82, 6.67},
		"without a table of objects": {bytes.Replace(onePage(content("BT /F 10 Tf"), content("100 600 Td (Sign) Tj ET"), helvetica), []byte("startxref"), []byte("startxxxx"), 1), "Sign", 100, 192.82, 6.67},
	} {
		d, err := workers(t).Read(t.Context(), one.file, []pdf.Anchor{{Text: one.text}})
		if err != nil {
			t.Fatal(err)
		}
		if p := d.Places[0]; !p.Found || !near(p.Rect.Left, one.left) || !near(p.Rect.Top, one.top) || !near(p.Rect.Width, one.width) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// What is written stands in its place even where the page's own content leaves
// its state changed, or restores more than it has saved.
func TestMarksStandWhereTheContentIsUnbalanced(t *testing.T) {
	w := workers(t)
	for _, before := range []string{"q q 3 0 0 3 50 50 cm", "Q Q 2 0 0 2 0 0 cm q", ""} {
		written, err := w.Write(t.Context(), onePage(content(before), content(""), ""), []pdf.Mark{{Rect: pdf.Rect{Left: 100, Top: 200, Width: 100, Height: 20}, Text: "Grace"}})
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.Read(t.Context(), written, []pdf.Anchor{{Text: "Grace"}})
		if p := d.Places[0]; err != nil || !p.Found || !near(p.Rect.Left, 101) || p.Rect.Top < 200 || p.Rect.Top > 220 {
			t.Errorf("after %q: %+v %v", before, p, err)
		}
	}
}
