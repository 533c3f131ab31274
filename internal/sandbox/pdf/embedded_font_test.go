package pdf_test

import (
	"bytes"
	"testing"

	reading "countersign/internal/pdf"
	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// A font is embedded for characters that Helvetica lacks, and for no others.
func TestFont_EmbeddedForMissingCharacters(t *testing.T) {
	w := pdftest.Workers()
	rect := reading.Rect{Left: 10, Top: 10, Width: 200, Height: 20}
	written, err := pdf.Write(t.Context(), w, pdftest.Form(), []pdf.Mark{{Rect: rect, Text: "山田 Ω Ж Ł"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.Read(t.Context(), written, []reading.Anchor{{Text: "山田 Ω Ж Ł", Character: 5}})
	if err != nil || !d.Places[0].Found || d.Places[0].Rect.Left < 40 || d.Places[0].Rect.Left > 70 {
		t.Errorf("%+v %v", d.Places, err)
	}
	if latin, err := pdf.Write(t.Context(), w, pdftest.Form(), []pdf.Mark{{Rect: rect, Text: "Zürich"}}); err != nil || bytes.Contains(latin, []byte("FontFile2")) {
		t.Errorf("Helvetica's characters are embedded too (%v)", err)
	}
}
