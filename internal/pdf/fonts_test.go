package pdf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/image/font/gofont/goregular"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// What documents are written in, 10 characters each.
var scripts = map[string]string{
	"Latin": "ABCDEFGHIJ", "Latin Extended-A": "ŁąćęśźżőűĞ", "Cyrillic": "ЖДИЯабвгде", "Greek": "ΑΒΓΔαβγδεζ",
}

// unembedded returns a page of 600 x 800 points that shows 10 characters in a font that is
// not in the file: each 40 points wide, from the left at 50 and the baseline at 600.
func unembedded(font, kind, text string) []byte {
	var toUnicode, names, codes strings.Builder
	for i, r := range []rune(text) {
		fmt.Fprintf(&toUnicode, "<%04x> <%04x>\n", i+65, r)
		fmt.Fprintf(&names, "/uni%04X", r)
		fmt.Fprintf(&codes, "%04x", i+65)
	}
	shown := "(ABCDEFGHIJ)"
	resource := fmt.Sprintf("<</Type/Font/Subtype/%s/BaseFont/%s/FirstChar 65/LastChar 74/Widths[%s]/FontDescriptor 8 0 R/Encoding<</Differences[65%s]>>>>",
		kind, font, strings.Repeat("1000 ", 10), names.String())
	if kind == "Type0" {
		shown = "<" + codes.String() + ">"
		resource = fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/%[1]s/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/%[1]s"+
			"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 8 0 R/DW 1000>>]>>", font)
	}
	return pdftest.OnePage(content("BT /F 40 Tf 50 600 Td "+shown+" Tj ET"), content(""), "/F 6 0 R", resource,
		content("begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 10 beginbfchar\n"+toUnicode.String()+"endbfchar endcmap"),
		"<</Type/FontDescriptor/FontName/"+font+"/Flags 32/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 900/Descent -200/StemV 80>>")
}

// drawn returns the number of the characters of unembedded that are in the picture, and what
// the picture says of itself.
func drawn(t *testing.T, w *pdf.Workers, file []byte) (count int, picture pdf.Picture) {
	t.Helper()
	picture, ok, err := w.Draw(t.Context(), file, 0, 600)
	if err != nil || !ok {
		t.Fatalf("not drawn: %v, %v", ok, err)
	}
	got, err := png.Decode(bytes.NewReader(picture.PNG))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if hasInk(got, image.Rect(50+40*i+2, 165, 50+40*i+38, 210)) {
			count++
		}
	}
	return count, picture
}

func hasInk(picture image.Image, part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y < 128 {
				return true
			}
		}
	}
	return false
}

// Letters are drawn although their font is not in the file, whatever its name and kind.
func TestFonts_NotInFile(t *testing.T) {
	w := workers(t)
	for _, font := range []string{
		"Helvetica", "Helvetica-Bold", "Arial", "ArialMT", "Arial,BoldItalic", "Times-Roman", "TimesNewRoman", "TimesNewRomanPS-BoldMT", "Courier", "CourierNew",
		"Calibri", "Calibri-Bold", "Cambria,Italic", "ABCDEF+Verdana", "SegoeUI-Semibold", "NobodysFont", "Open#20Sans",
	} {
		for _, kind := range []string{"Type1", "TrueType", "Type0"} {
			for script, text := range scripts {
				if n, picture := drawn(t, w, unembedded(font, kind, text)); n != 10 || picture.Missing != 0 {
					t.Errorf("%s %s, %s: %d of 10 letters are drawn, %d are said to be missing", kind, font, script, n, picture.Missing)
				}
			}
		}
	}
}

// What no font has is not drawn, and it is said how many characters that are.
func TestFonts_MissingCharactersCounted(t *testing.T) {
	w := workers(t)
	for _, kind := range []string{"Type1", "TrueType", "Type0"} {
		for _, font := range []string{"Arial", "Calibri"} {
			if n, picture := drawn(t, w, unembedded(font, kind, "日本語の文書です漢字")); n != 0 || picture.Missing != 10 {
				t.Errorf("%s %s: %d of 10 characters are drawn, %d are said to be missing", kind, font, n, picture.Missing)
			}
			if n, picture := drawn(t, w, unembedded(font, kind, "Aя日本語BCDE文")); n != 6 || picture.Missing != 4 {
				t.Errorf("%s %s: %d of 6 letters are drawn, %d of 4 are said to be missing", kind, font, n, picture.Missing)
			}
		}
	}
	for _, encoding := range []string{"UniJIS-UTF16-V", "UniJIS-UCS2-V"} { // PDFium has no text of what is written downwards and not drawn
		file := pdftest.OnePage(content("BT /F 40 Tf 250 600 Td <65e5672c8a9e> Tj ET"), content(""), "/F 6 0 R",
			"<</Type/Font/Subtype/Type0/BaseFont/KozMinPro-Regular/Encoding/"+encoding+"/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/KozMinPro-Regular"+
				"/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 4>>/FontDescriptor 7 0 R/DW 1000>>]>>",
			"<</Type/FontDescriptor/FontName/KozMinPro-Regular/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 900/Descent -200/StemV 80>>")
		if n, picture := drawn(t, w, file); n != 0 || picture.Missing == 0 {
			t.Errorf("%s: %d characters are drawn, %d are said to be missing", encoding, n, picture.Missing)
		}
	}
	if n, picture := drawn(t, w, pdftest.Japanese()); n != 0 || picture.Missing != 3 {
		t.Errorf("HeiseiMin-W3: %d characters are drawn, %d of 3 are said to be missing", n, picture.Missing)
	}
}

// The entries of a form that brings no pictures of them are drawn, and what is missing of
// them is counted.
func TestForm_EntriesDrawn(t *testing.T) {
	w := workers(t)
	for entry, missing := range map[string]int{"Łącki Привет αβγ": 0, "日本語 ABC": 3, "ABC": 0} {
		file := pdftest.File("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DR<</Font<</Helv 5 0 R>>>>/DA(/Helv 20 Tf 0 g)>>>>",
			"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>", "<</Type/Page/Parent 2 0 R/Annots[4 0 R]>>",
			fmt.Sprintf("<</T(name)/FT/Tx/Subtype/Widget/F 4/Rect[50 580 450 640]/DA(/Helv 40 Tf 0 g)/V<%x>>>", "\xfe\xff"+utf16of(entry)),
			"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
		if n, picture := drawn(t, w, file); n == 0 || picture.Missing != missing {
			t.Errorf("%s: there is ink at %d places, %d of %d characters are said to be missing", entry, n, picture.Missing, missing)
		}
	}
}

func utf16of(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.BigEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// Characters that only a font of the folder has are drawn in it.
func TestFonts_FromFolder(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string][]byte{
		"a.ttf": fontOf("日本語の文書です漢字"), "b.otf": []byte("no font"), "c.ttf": goregular.TTF[:200], "d.txt": []byte("x"), "e.ttc": []byte("ttcf"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Fonts = dir }))
	t.Cleanup(w.Close)
	for _, kind := range []string{"Type1", "TrueType", "Type0"} {
		for _, font := range []string{"Arial", "Calibri", "MS-Gothic"} {
			if n, picture := drawn(t, w, unembedded(font, kind, "日本語の文書です漢字")); n != 10 || picture.Missing != 0 {
				t.Errorf("%s %s: %d of 10 characters are drawn, %d are said to be missing", kind, font, n, picture.Missing)
			}
			if n, picture := drawn(t, w, unembedded(font, kind, scripts["Cyrillic"])); n != 10 || picture.Missing != 0 {
				t.Errorf("%s %s: %d of 10 letters are drawn, %d are said to be missing", kind, font, n, picture.Missing)
			}
		}
	}
}

// fontOf returns a font that has these characters alone: letters of a font of Go under
// another table of characters.
func fontOf(text string) []byte {
	const atTables, entry, capital = 12, 16, 36 // the first glyph of a letter
	runes := []rune(text)
	slices.Sort(runes)
	var table bytes.Buffer
	write := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&table, binary.BigEndian, v) // writing to memory does not fail
		}
	}
	write([]uint16{0, 1, 3, 10}, uint32(12), []uint16{12, 0}, uint32(16+12*len(runes)), uint32(0), uint32(len(runes)))
	for i, r := range runes {
		write(uint32(r), uint32(r), uint32(capital+i))
	}
	file := slices.Clone(goregular.TTF)
	for at := atTables; ; at += entry {
		if string(file[at:at+4]) == "cmap" {
			binary.BigEndian.PutUint32(file[at+8:], uint32(len(file)))
			binary.BigEndian.PutUint32(file[at+12:], uint32(table.Len()))
			return append(file, table.Bytes()...)
		}
	}
}
