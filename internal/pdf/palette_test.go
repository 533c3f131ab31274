package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// A page of few colours is a PNG with a palette, which is small; one of many keeps them all.
func TestPicture_PaletteForFewColours(t *testing.T) {
	w := pdf.NewWorkers(options(func(*pdf.Options) {}))
	t.Cleanup(w.Close)
	draw := func(file []byte) image.Image {
		t.Helper()
		drawn, ok, err := w.Draw(t.Context(), file, 0, 400)
		if err != nil || !ok {
			t.Fatalf("not drawn: %v, %v", ok, err)
		}
		picture, err := png.Decode(bytes.NewReader(drawn.PNG))
		if err != nil {
			t.Fatal(err)
		}
		return picture
	}
	text := draw(pdftest.Form())
	if _, ok := text.(*image.Paletted); !ok || color.RGBAModel.Convert(text.At(0, 0)) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("text is a %T with %v in its corner", text, text.At(0, 0))
	}
	var pixels strings.Builder
	for n := range 32 * 32 {
		fmt.Fprintf(&pixels, "%02x%02x80", n%32*8, n/32*8)
	}
	photo := draw(pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R>>",
		"<</Length 27>>stream\n400 0 0 400 0 0 cm /I Do   \nendstream",
		fmt.Sprintf("<</Type/XObject/Subtype/Image/Width 32/Height 32/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/ASCIIHexDecode/Length %d>>stream\n%s>\nendstream", pixels.Len()+1, pixels.String())))
	got := color.RGBAModel.Convert(photo.At(399, 0)).(color.RGBA)
	if _, ok := photo.(*image.Paletted); ok || got.R < 240 || got.G > 8 || got.B < 120 || got.B > 136 {
		t.Errorf("1024 colours are a %T with %v in its corner", photo, got)
	}
}
