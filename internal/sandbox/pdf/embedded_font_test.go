package pdf_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"testing"

	reading "countersign/internal/pdf"
	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// Exactly the glyphs that Helvetica lacks are embedded.
func TestGlyphs_MissingOnesEmbedded(t *testing.T) {
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
	font := embeddedIn(t, written)
	for char, want := range map[rune]bool{'Ł': true, 'Ω': true, 'Ж': true, 'Я': false} {
		glyph, _ := pdf.EmbeddedGlyph(char)
		if got := len(pdf.Outline(font, glyph)) > 0; got != want {
			t.Errorf("%c is embedded: %v", char, got)
		}
	}
	if len(written) > 20_000 {
		t.Errorf("%d bytes", len(written))
	}
	if latin, err := pdf.Write(t.Context(), w, pdftest.Form(), []pdf.Mark{{Rect: rect, Text: "Zürich"}}); err != nil || bytes.Contains(latin, []byte("FontFile2")) {
		t.Errorf("Helvetica's characters are embedded too (%v)", err)
	}
}

// embeddedIn returns the font file in a PDF.
func embeddedIn(t *testing.T, file []byte) []byte {
	t.Helper()
	at := regexp.MustCompile(`/Length1 \d+>>stream\r?\n`).FindIndex(file)
	if at == nil {
		t.Fatal("nothing is embedded")
	}
	r, err := zlib.NewReader(bytes.NewReader(file[at[1]:]))
	if err != nil {
		t.Fatal(err)
	}
	font, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return font
}
