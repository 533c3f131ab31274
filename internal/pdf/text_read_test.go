package pdf_test

import (
	"bytes"
	"compress/lzw"
	"fmt"
	"testing"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

const (
	helvetica = "/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	codes     = "1 beginbfchar <41> <0058> endbfchar 2 beginbfrange <42> <43> <0059> <44> <45> [<00660069> <0021>] endbfrange"
)

// Text is found in every way in which a file can write it.
func TestText_FoundHoweverWritten(t *testing.T) {
	var packed bytes.Buffer
	w := lzw.NewWriter(&packed, lzw.MSB, 8)
	_, _ = w.Write([]byte("\n")) // writing to memory does not fail
	_ = w.Close()
	for name, one := range map[string]struct {
		file  []byte
		text  string
		left  float64
		top   float64
		width float64
	}{
		"in streams without white space between them": {pdftest.OnePage(content("BT /F 10 Tf 100 600 Td (Si) Tj"), content("(gn) Tj ET"), helvetica), "Sign", 100, 192.82, 6.67},
		"after an image in the content":               {pdftest.OnePage(content("BI /W 1 /H 1 /BPC 8 ID \xff(EI) EI Q"), content("BT /F 10 Tf 1 0 0 1 100 600 Tm (Sign) Tj ET"), helvetica), "Sign", 100, 192.82, 6.67},
		"after properties":                            {pdftest.OnePage(content("/P <</MCID 0/A[1 2](x)>> BDC BT"), content("/F 10 Tf 100 600 Td (S\\151g\\\nn\\)) Tj ET EMC"), helvetica), "Sign)", 100, 192.82, 6.67},
		"in codes of its own, whatever the encoding says": {pdftest.OnePage(content("BT /F 10 Tf"), content("100 600 Td <4142434445> Tj ET"),
			"/F<</Type/Font/Subtype/Type1/BaseFont/X/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4/Ascent 872/Descent -350/FontBBox[0 0 1000 1000]>>/FirstChar 65/LastChar 69/Widths[400 500 500 500 500]/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>", content(codes)), "XYZfi!", 100, 191.28, 5.87},
		"in a font that draws its glyphs": {pdftest.OnePage(content("BT /F 10 Tf"), content("100 600 Td (A) Tj ET"),
			"/F<</Type/Font/Subtype/Type3/FontMatrix[0.01 0 0 0.01 0 0]/FirstChar 65/LastChar 65/Widths[70]/FontBBox[0 0 100 100]/CharProcs<</A 6 0 R>>/Encoding<</Differences[65/A]>>>>", content("70 0 d0 0 0 70 70 re f")), "A", 100, 193, 7},
		"in UTF-16": {pdftest.OnePage(content("BT /F 10 Tf"), content("100 600 Td <5c717530> Tj ET"),
			"/F<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/UniJIS-UTF16-H/DescendantFonts[<</Subtype/CIDFontType0/DW 1000>>]>>"), "山田", 100, 191.28, 10},
		"beside a stream in another filter": {pdftest.OnePage(fmt.Sprintf("<</Filter/LZWDecode/DecodeParms<</EarlyChange 0>>/Length %d>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
			content("BT /F 10 Tf 100 600 Td (Sign) Tj ET"), helvetica), "Sign", 100, 192.82, 6.67},
		"without a table of objects": {bytes.Replace(pdftest.OnePage(content("BT /F 10 Tf"), content("100 600 Td (Sign) Tj ET"), helvetica), []byte("startxref"), []byte("startxxxx"), 1), "Sign", 100, 192.82, 6.67},
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
