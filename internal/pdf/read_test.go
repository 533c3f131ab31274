package pdf_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestRead_FormFields(t *testing.T) {
	d, err := workers(t).Read(t.Context(), pdftest.Form(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := pdf.Document{
		Pages: []pdf.Page{{Width: 600, Height: 800}, {Width: 600, Height: 400}},
		Fields: []pdf.FormField{
			{Name: "person.name", Partial: "name", Kind: pdf.KindText, Rect: pdf.Rect{Left: 100, Top: 80, Width: 200, Height: 20}, Required: true, Lines: true},
			{Name: "person.age", Partial: "age", Kind: pdf.KindText, Rect: pdf.Rect{Left: 100, Top: 150, Width: 200, Height: 20}, MaxLength: 3},
			{Name: "ü", Partial: "ü", Kind: pdf.KindCheckbox, Rect: pdf.Rect{Left: 10, Top: 780, Width: 10, Height: 10}},
			{Name: "stray", Partial: "stray", Kind: pdf.KindSignature, Rect: pdf.Rect{Top: 775, Width: 50.5, Height: 25}},
			{Name: "choice", Partial: "choice", Kind: pdf.KindChoice, Page: 1, Rect: pdf.Rect{Left: 100, Top: 50, Width: 20, Height: 100}, Options: []string{"Red", "Blue sky"}},
		},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

// A page that occurs in the tree twice counts as two pages, and a field in a circle has a
// finite name.
func TestRead_CirclesAndRepetitions(t *testing.T) {
	d, err := workers(t).Read(t.Context(), pdftest.File(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R 3 0 R 2 0 R]/Count 2/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/Annots[4 0 R]>>",
		"<</Parent 5 0 R/FT/Tx/Subtype/Widget/Rect[100 700 300 720]>>",
		"<</T(b)/Parent 6 0 R/Kids[6 0 R]>>",
		"<</T(a)/Parent 5 0 R/Kids[5 0 R]>>",
	), nil)
	if err != nil || len(d.Pages) != 2 || len(d.Fields) != 2 || d.Fields[0].Name != "a.b" || d.Fields[1].Page != 1 {
		t.Errorf("%+v %v", d, err)
	}
}

// letterPDF returns a document with a text in several fonts, kerned, in a form and on a
// turned page.
func letterPDF() []byte {
	return pdftest.File(
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2/MediaBox[0 0 600 800]/Resources<</Font<</F 7 0 R/W 8 0 R>>/XObject<</X 9 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
		content("BT /F 10 Tf 100 600 Td (Sign here: ) Tj 0 -100 Td [(Si) 50 (gn) -400 (here:)] TJ ET q 2 0 0 2 0 0 cm /X Do Q"),
		"<</Type/Page/Parent 2 0 R/Rotate 270/Contents 6 0 R>>",
		content("BT /F 10 Tf 0 -1 1 0 300 500 Tm (Sign here:) Tj /W 20 Tf 0 -100 Td (AB) Tj ET"),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar 65/Widths[500 1000]/Encoding/WinAnsiEncoding>>",
		"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Length 40>>\nstream\nBT /F 10 Tf 50 350 Td (Top Sign) Tj ET   \nendstream",
	)
}

func TestAnchors_Places(t *testing.T) {
	for name, one := range map[string]struct {
		anchor pdf.Anchor
		page   int
		left   float64
		bottom float64
		width  float64
	}{
		"first":               {pdf.Anchor{Text: "Sign here:"}, 0, 100, 202.07, 6.67},
		"kerned, second":      {pdf.Anchor{Text: "Sign  here:", Index: 1}, 0, 100, 302.07, 6.67},
		"a character of it":   {pdf.Anchor{Text: "Sign here:", Character: 4}, 0, 120.01, 202.07, 2.78},
		"turned, third":       {pdf.Anchor{Text: "Sign here:", Index: 2}, 1, 300, 302.07, 6.67},
		"in a form, at twice": {pdf.Anchor{Text: "Top Sign"}, 0, 100, 104.14, 12.2},
		"widths of the font":  {pdf.Anchor{Text: "AB", Character: 1}, 1, 310, 405.12, 20},
	} {
		d, err := workers(t).Read(t.Context(), letterPDF(), []pdf.Anchor{{Text: "nowhere"}, one.anchor, {Text: "Sign here:", Index: 3}, {}})
		if err != nil {
			t.Fatal(err)
		}
		place := d.Places[1]
		if !place.Found || place.Page != one.page || !near(place.Rect.Left, one.left) || !near(place.Rect.Top+place.Rect.Height, one.bottom) || !near(place.Rect.Width, one.width) {
			t.Errorf("%s: %+v", name, place)
		}
		if d.Places[0].Found || d.Places[2].Found || d.Places[3].Found {
			t.Errorf("found what is nowhere: %+v", d.Places)
		}
	}
}

func near(a, b float64) bool { return a-b < 0.1 && b-a < 0.1 }
