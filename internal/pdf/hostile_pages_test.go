package pdf_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// A hostile file's page is drawn and filled or refused, in time, and the next file is drawn
// as ever.
func TestDraw_HostilePages(t *testing.T) {
	w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Timeout = 2 * time.Second }))
	t.Cleanup(w.Close)
	page := func(entries string, objects ...string) []byte {
		return pdftest.File(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]" + entries + ">>"}, objects...)...)
	}
	stream := func(content string) string {
		return "<</Length " + strconv.Itoa(len(content)) + ">>stream\n" + content + "\nendstream"
	}
	for name, file := range map[string][]byte{
		"an immense page":           pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9e30 9e30]>>"),
		"a page without a size":     pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 0 0]>>"),
		"a needle":                  pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 200000]>>"),
		"a form within itself":      page("/Resources<</XObject<</F 5 0 R>>>>/Contents 4 0 R", stream("/F Do"), "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>/Length 5>>stream\n/F Do\nendstream"),
		"a picture of 4 gigapixels": page("/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R", stream("600 0 0 700 0 0 cm /I Do"), "<</Type/XObject/Subtype/Image/Width 65535/Height 65535/BitsPerComponent 8/ColorSpace/DeviceRGB/Length 3>>stream\nabc\nendstream"),
		"saved a million times":     page("/Contents 4 0 R", stream(strings.Repeat("q ", 1_000_000))),
		"a million strokes":         page("/Contents 4 0 R", stream(strings.Repeat("0 0 m 600 700 l 1 w S ", 300_000))),
		"a tiny pattern":            page("/Resources<</Pattern<</P 5 0 R>>>>/Contents 4 0 R", stream("/Pattern cs /P scn 0 0 612 792 re f"), "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.0001/YStep 0.0001/Resources<<>>/Length 10>>stream\n0 0 1 1 re\nendstream"),
		"dashes of nothing":         page("/Contents 4 0 R", stream("[0.00001 0.00001] 0 d 0 0 m 600 700 l S")),
		"numbers without end":       page("/Contents 4 0 R", stream(strings.Repeat("9", 200_000)+" 0 0 1 0 0 cm 0 0 1 1 re f")),
		"contents in a loop":        page("/Contents 4 0 R", "[4 0 R 4 0 R]"),
		"a broken filter":           page("/Contents 4 0 R", "<</Length 4/Filter[/FlateDecode/LZWDecode/JBIG2Decode/JPXDecode/DCTDecode]>>stream\nabcd\nendstream"),
		"a field within itself":     pdftest.File("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/Annots[4 0 R 4 0 R]>>", "<</T(f)/FT/Tx/Subtype/Widget/Rect[0 0 9e30 9e30]/Parent 4 0 R/Kids[4 0 R]/V 4 0 R>>"),
		"a field without a font":    pdftest.File("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA 4 0 R/DR 4 0 R>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/Annots[5 0 R]>>", "<</T(f)/FT/Tx/Kids[5 0 R]/DA(/F 9e30 Tf)/MaxLen -1>>", "<</Subtype/Widget/Rect[0 0 9 9]/Parent 4 0 R/MK[]/AP 4 0 R>>"),
		"no fonts":                  page("/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R", "<</Type/Font/Subtype/Type0/DescendantFonts[4 0 R]/Encoding/Identity-H>>", stream("BT /F 12 Tf (abc) Tj ET")),
	} {
		begun := time.Now()
		picture, ok, err := w.Draw(t.Context(), file, 0, 1600)
		refusal, refused := errors.AsType[*pdf.Refusal](err)
		switch {
		case err != nil && !refused:
			t.Errorf("%s: %v", name, err)
		case refused && refusal.Busy:
			t.Errorf("%s: the workers are busy", name)
		case err == nil && (!ok || len(picture.PNG) == 0):
			t.Errorf("%s: there is no picture", name)
		}
		t.Logf("%s: %v, %d bytes, %v", name, time.Since(begun).Round(time.Millisecond), len(picture.PNG), err)
		filled, err := w.Fill(t.Context(), file, pdf.Filling{Over: over("Grace"), Pages: []int{0}, Entries: []pdf.Entry{{Field: "f", Text: "Grace"}}})
		if refusal, refused := errors.AsType[*pdf.Refusal](err); err != nil && !refused || refused && refusal.Busy {
			t.Errorf("%s is not filled: %v", name, err)
		}
		t.Logf("%s: %v, %d bytes filled, %v", name, time.Since(begun).Round(time.Millisecond), len(filled), err)
		if _, ok, err := w.Draw(t.Context(), pdftest.Form(), 0, 400); err != nil || !ok {
			t.Fatalf("after %s: %v", name, err)
		}
	}
}
