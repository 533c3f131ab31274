package pdf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// over returns a PDF of pages that show a text each, 100 points from the left, with its
// baseline 50 points below the top.
func over(texts ...string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	var kids strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>", 5+2*i), content("BT /F 10 Tf 100 1950 Td ("+text+") Tj ET"))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 2000 2000]>>", kids.String(), len(texts))
	return pdftest.File(objects...)
}

// shownAt says where over's texts are.
func shownAt(p pdf.Place) bool { return p.Found && near(p.Rect.Left, 100) && near(p.Rect.Top, 42.82) }

// What is drawn over a page is where it belongs, whatever the page and its content are, and
// what the page showed is still there.
func TestFill_DrawnOverPage(t *testing.T) {
	w := workers(t)
	const own, font = "BT /F 10 Tf 150 150 Td (Own) Tj ET", "/Resources<</Font<</F 6 0 R>>/ExtGState<</G<</ca 0.1>>>>>>"
	page := func(members, before, after string) []byte {
		return pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
			"<</Type/Page/Parent 2 0 R/Contents[4 0 R 5 0 R]"+members+">>", content(before+" "+own), content(after), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	}
	two := func(first, second, above string, objects ...string) []byte {
		return pdftest.File(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 600 800]" + above + ">>",
			"<</Type/Page/Parent 2 0 R" + first + ">>", "<</Type/Page/Parent 2 0 R" + second + ">>", content(own), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}, objects...)...)
	}
	for name, c := range map[string]struct {
		file []byte
		own  int // pages
	}{
		"plain":                       {page(font, "", ""), 1},
		"cropped":                     {page(font+"/CropBox[100 100 500 700]", "", ""), 1},
		"beyond its sheet":            {page(font+"/CropBox[-100 -100 900 900]", "", ""), 1},
		"turned by 90":                {page(font+"/Rotate 90/CropBox[100 100 500 700]", "", ""), 1},
		"turned by 180":               {page(font+"/Rotate 180/CropBox[100 100 500 700]", "", ""), 1},
		"turned by 270":               {page(font+"/Rotate -90/CropBox[100 100 500 700]", "", ""), 1},
		"states left open":            {page(font, "q q 1 0 0 1 50 50 cm", "2 0 0 2 0 0 cm"), 1},
		"states closed too much":      {page(font, "Q Q", "2 0 0 2 0 0 cm Q q"), 1},
		"a clip left":                 {page(font, "q 100 100 100 100 re W n", ""), 1},
		"a state left":                {page(font, "3 Tr /G gs 50 Tz", ""), 1},
		"a text left open":            {page(font, "", "BT /F 90 Tf 10 10 Td"), 1},
		"no content":                  {pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>", "<</Type/Page/Parent 2 0 R>>"), 0},
		"content of two pages":        {two("/Contents 7 0 R", "/Contents 7 0 R", "/Resources<</Font<</F 6 0 R>>>>", "[5 0 R]"), 2},
		"fonts of two pages":          {two("/Contents 5 0 R/Resources 7 0 R", "/Contents 8 0 R/Resources 7 0 R", "", "<</Font 9 0 R>>", content("BT /G 10 Tf 150 150 Td (Own) Tj ET"), "<</F 6 0 R/G 6 0 R>>"), 2},
		"fonts of all pages":          {two("/Contents 5 0 R", "/Contents 7 0 R", "/Resources<</Font<</F 6 0 R/G 6 0 R>>>>", content("BT /G 10 Tf 150 150 Td (Own) Tj ET")), 2},
		"protected against changes":   {pdftest.Restricted, 0},
		"without a table of objects":  {bytes.Replace(page(font, "", ""), []byte("startxref"), []byte("startxxxx"), 1), 1},
		"something that is no stream": {pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>", "<</Type/Page/Parent 2 0 R/Contents[4 0 R]>>", "(text)"), 0},
	} {
		filled, err := w.Fill(t.Context(), c.file, pdf.Filling{Over: over("elsewhere", "Grace"), Pages: []int{7, 0}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d, err := w.Read(t.Context(), filled, []pdf.Anchor{{Text: "Grace"}, {Text: "Grace", Index: 1}, {Text: "elsewhere"}})
		if err != nil || !shownAt(d.Places[0]) || d.Places[0].Page != 0 || d.Places[1].Found || d.Places[2].Found {
			t.Errorf("%s: %+v %v", name, d, err)
		}
		if found, err := w.Search(t.Context(), filled, "Own"); err != nil || len(found) != c.own {
			t.Errorf("%s: its own content is found at %+v, %v", name, found, err)
		}
		if picture, _, err := w.Draw(t.Context(), filled, 0, int(d.Pages[0].Width)); err != nil || !inked(t, picture, pdf.Rect{Left: 100, Top: 42, Width: 25, Height: 8}) {
			t.Errorf("%s: nothing is to be seen, %v", name, err)
		}
	}
}

// Form fields have their values, in the file as well, wherever it keeps them, and can no
// longer be changed.
func TestFill_FieldsHaveValues(t *testing.T) {
	w := workers(t)
	const any = "Zoë Ωя山田"
	for name, c := range map[string]struct {
		field, widget string // members; without a field the widget is all of it
		text, want    string
	}{
		"a text":                     {"", "/FT/Tx/T(f)/V(old)", any, any},
		"a text longer than it says": {"", "/FT/Tx/T(f)/MaxLen 3", any, any},
		"a text below a name":        {"/T(f)", "/FT/Tx/T(g)", any, any},
		"a text above its place":     {"/T(f)/FT/Tx/V(old)", "", any, any},
		"a text that was read-only":  {"/T(f)/FT/Tx/Ff 1/V(old)", "", any, any},
		"a text that was hidden":     {"/T(f)/FT/Tx", "/F 2", any, any},
		"letters beyond 16 bits":     {"/T(f)/FT/Tx", "", "a𠮷b", "a\ufffdb"},
		"a choice":                   {"", "/FT/Ch/T(f)/Opt[(Red)(Blue)]", "Blue", "Blue"},
		"a choice above its place":   {"/T(f)/FT/Ch/Ff 131072/Opt[(Red)(Blue)]", "", "Blue", "Blue"},
		"a list above its place":     {"/T(f)/FT/Ch/Opt[(Red)(Blue)]", "", "Blue", "Blue"},
		"a choice with other values": {"/T(f)/FT/Ch/Ff 131072/Opt[[(r)(Red)][(b)(Blue)]]", "", "Blue", "b"},
		"a choice of any text":       {"/T(f)/FT/Ch/Ff 393216/Opt[(Red)(Blue)]", "", any, any},
		"a box":                      {"", "/FT/Btn/T(f)/V/Off/AS/Off/AP<</N<</Off 6 0 R/Ja 6 0 R>>>>", "X", "Ja"},
		"a box that was ticked":      {"", "/FT/Btn/T(f)/V/Ja/AS/Ja/AP<</N<</Off 6 0 R/Ja 6 0 R>>>>", "X", "Ja"},
		"a box above its place":      {"/T(f)/FT/Btn/V/Off", "/AS/Off/AP<</N<</Off 6 0 R/Ja 6 0 R>>>>", "X", "Ja"},
		"a radio button":             {"/T(f)/FT/Btn/Ff 49152/V/Off", "/AS/Off/AP<</N<</Off 6 0 R/A 6 0 R>>>>", "X", "A"},
	} {
		top, widget := "4 0 R", "<</Type/Annot/Subtype/Widget/Rect[100 700 300 720]"+c.widget
		if c.field != "" {
			top, widget = "5 0 R", widget+"/Parent 5 0 R"
		}
		file := pdftest.File("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields["+top+"]>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
			"<</Type/Page/Parent 2 0 R/Annots[4 0 R]>>", widget+">>", "<<"+c.field+"/Kids[4 0 R]>>", "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 0>>\nstream\n\nendstream")
		before, err := w.Read(t.Context(), file, nil)
		if err != nil || len(before.Fields) != 1 {
			t.Fatalf("%s: %+v %v", name, before, err)
		}
		filled, err := w.Fill(t.Context(), file, pdf.Filling{Over: over("Grace"), Pages: []int{0}, Entries: []pdf.Entry{{Field: before.Fields[0].Name, Text: c.text}}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d, err := w.Read(t.Context(), filled, nil); err != nil || len(d.Fields) != 1 || !d.Fields[0].Unseen || d.Fields[0].Name != before.Fields[0].Name {
			t.Errorf("%s: %+v %v", name, d, err)
		}
		if got := valueIn(filled); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		if !regexp.MustCompile(`/Ff \d*[13579]\b`).Match(filled) {
			t.Errorf("%s: the field can be changed", name)
		}
	}
}

// valueIn returns the value of the one field of a file that PDFium has written.
func valueIn(file []byte) string {
	value := regexp.MustCompile(`(?s)/V(?:/(\w+)|\(((?:[^\\()]|\\.)*)\))`).FindSubmatch(file)
	if value == nil {
		return ""
	}
	text := string(value[1]) + strings.NewReplacer(`\\`, `\`, `\(`, `(`, `\)`, `)`, `\r`, "\r", `\n`, "\n").Replace(string(value[2]))
	wide, ok := strings.CutPrefix(text, "\xfe\xff")
	if !ok {
		return text
	}
	units := make([]uint16, len(wide)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16([]byte(wide[2*i:]))
	}
	return string(utf16.Decode(units))
}

// inked reports whether a picture of a page, one pixel a point, shows something dark there.
func inked(t *testing.T, picture pdf.Picture, at pdf.Rect) bool {
	t.Helper()
	drawn, err := png.Decode(bytes.NewReader(picture.PNG))
	if err != nil {
		t.Fatal(err)
	}
	return hasInk(drawn, image.Rect(int(at.Left), int(at.Top), int(at.Left+at.Width), int(at.Top+at.Height)))
}
