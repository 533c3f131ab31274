package pdf_test

import (
	"strings"
	"testing"

	"countersign/internal/sandbox/pdf/pdftest"
)

// What no reader shows, and what has been signed, is told apart from fields to fill in.
func TestFields_UnseenAndSigned(t *testing.T) {
	form := func(fields ...string) []byte {
		var refs strings.Builder
		for i := range fields {
			refs.WriteString([]string{"4 0 R ", "5 0 R ", "6 0 R ", "7 0 R "}[i])
		}
		return pdftest.File(append([]string{"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[" + refs.String() + "]>>>>",
			"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>", "<</Type/Page/Parent 2 0 R/CropBox[100 100 500 700]/Annots[" + refs.String() + "]>>"}, fields...)...)
	}
	const signature = "/V<</Type/Sig/Filter/Adobe.PPKLite/ByteRange[0 10 20 10]/Contents<00>>>"
	for name, c := range map[string]struct {
		field          string
		unseen, signed bool
	}{
		"as usual":           {"/FT/Tx/Rect[200 600 300 620]", false, false},
		"printed":            {"/FT/Tx/F 4/Rect[200 600 300 620]", false, false},
		"hidden":             {"/FT/Tx/F 2/Rect[200 600 300 620]", true, false},
		"hidden, printed":    {"/FT/Sig/F 6/Rect[200 600 300 620]", true, false},
		"not viewed":         {"/FT/Tx/F 36/Rect[200 600 300 620]", true, false},
		"no size":            {"/FT/Sig/Rect[0 0 0 0]", true, false},
		"no height":          {"/FT/Tx/Rect[200 600 300 600]", true, false},
		"off the sheet":      {"/FT/Tx/Rect[900 600 950 620]", true, false},
		"below the crop box": {"/FT/Tx/Rect[200 10 300 30]", true, false},
		"at its edge":        {"/FT/Tx/Rect[50 600 150 620]", false, false},
		"a signature":        {"/FT/Sig/Rect[200 600 300 620]", false, false},
		"signed":             {"/FT/Sig/Rect[200 600 300 620]" + signature, false, true},
		"no signature":       {"/FT/Sig/V null/Rect[200 600 300 620]", false, false},
	} {
		d, err := workers(t).Read(t.Context(), form("<</T(a)/Subtype/Widget"+c.field+">>"), nil)
		if err != nil || len(d.Fields) != 1 || d.Fields[0].Unseen != c.unseen || d.Fields[0].Signed != c.signed || d.Signed != c.signed {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
	d, err := workers(t).Read(t.Context(), form("<</T(a)/Subtype/Widget/FT/Sig/Rect[200 600 300 620]>>", "<</T(b)/Subtype/Widget/FT/Sig/Rect[200 500 300 520]"+signature+">>"), nil)
	if err != nil || len(d.Fields) != 2 || d.Fields[0].Signed || !d.Fields[1].Signed || !d.Signed {
		t.Errorf("one of two: %+v %v", d, err)
	}
}

// What a field has from the fields above it counts as its own.
func TestFields_InheritFromParents(t *testing.T) {
	const widget, signature = "/Subtype/Widget/Rect[10 10 200 30]", "/V<</Type/Sig/Filter/Adobe.PPKLite/ByteRange[0 10 20 10]/Contents<00>>>"
	for name, c := range map[string]struct {
		parent, kid, other string
		most               int
		signed, sealed     bool
	}{
		"a limit":                   {parent: "/T(a)/FT/Tx/MaxLen 7", kid: widget, most: 7},
		"a limit beside a text":     {parent: "/T(a)/FT/Tx/MaxLen 7/V(xy)", kid: widget, most: 7},
		"a high limit":              {parent: "/T(a)/FT/Tx/MaxLen 4096/Ff 4096", kid: "/T(b)" + widget, most: 4096},
		"the highest limit":         {parent: "/T(a)/FT/Tx/MaxLen 10000", kid: "/T(b)" + widget, most: 10_000},
		"no limit worth a name":     {parent: "/T(a)/FT/Tx/MaxLen 10001", kid: "/T(b)" + widget},
		"a limit of many lines":     {parent: "/T(a)/FT/Tx/MaxLen 300/Ff 4096", kid: "/T(b)" + widget, most: 300},
		"two limits":                {parent: "/T(a)/FT/Tx/MaxLen 7", kid: "/MaxLen 3" + widget, most: 3},
		"no limit":                  {parent: "/T(a)/FT/Tx", kid: widget},
		"a signature":               {parent: "/T(a)/FT/Sig" + signature, kid: widget, signed: true, sealed: true},
		"one of two":                {parent: "/T(a)", kid: "/T(b)/FT/Sig" + signature + widget, other: "/T(c)/FT/Sig" + widget, signed: true, sealed: true},
		"one of two, with a parent": {parent: "/T(a)/FT/Sig" + signature, kid: "/AP<</N 7 0 R>>" + widget, other: "/T(c)/FT/Sig" + widget, signed: true, sealed: true},
		"the other of two":          {parent: "/T(a)", kid: "/T(b)/FT/Sig" + widget, other: "/T(c)/FT/Sig" + signature + widget, sealed: true},
	} {
		fields := "5 0 R "
		if c.other != "" {
			fields += "6 0 R"
		}
		file := pdftest.File("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
			"<</Type/Page/Parent 2 0 R/Annots["+fields+"]>>", "<</Kids["+fields+"]"+c.parent+">>", "<</Parent 4 0 R"+c.kid+">>", "<</Parent 4 0 R"+c.other+">>",
			"<</Type/XObject/Subtype/Form/BBox[0 0 190 20]/Length 15>>stream\n0 0 100 10 re f\nendstream")
		d, err := workers(t).Read(t.Context(), file, nil)
		if err != nil || len(d.Fields) == 0 || d.Fields[0].MaxLength != c.most || d.Fields[0].Signed != c.signed || d.Signed != c.sealed {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
}

// A form of XFA whose pages say nothing of it is told.
func TestRead_XFAForm(t *testing.T) {
	file := func(catalog, form, page string, objects ...string) []byte {
		return pdftest.File(append([]string{"<</Type/Catalog/Pages 2 0 R" + catalog + "/AcroForm<<" + form + ">>>>",
			"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>", "<</Type/Page/Parent 2 0 R" + page + ">>"}, objects...)...)
	}
	const packet, field = "<</Length 9>>stream\n<a>bc</a>\nendstream", "<</T(a)/Subtype/Widget/FT/Tx/Rect[10 10 20 20]>>"
	for name, c := range map[string]struct {
		file []byte
		want bool
	}{
		"dynamic":         {file("/NeedsRendering true", "/Fields[]/XFA 4 0 R", "", packet), true},
		"in packets":      {file("/NeedsRendering true", "/Fields[]/XFA[(template)4 0 R]", "", packet), true},
		"without a field": {file("", "/Fields[]/XFA 4 0 R", "", packet), true},
		"static":          {file("", "/Fields[5 0 R]/XFA 4 0 R", "/Annots[5 0 R]", packet, field), false},
		"no XFA":          {file("", "/Fields[5 0 R]", "/Annots[5 0 R]", packet, field), false},
	} {
		if d, err := workers(t).Read(t.Context(), c.file, nil); err != nil || d.XFA != c.want {
			t.Errorf("%s: %v %v", name, d.XFA, err)
		}
	}
}

// A hit of a text that is written from the right is as wide as the text, one outside the
// displayed part of the page is none, and a hyphen at the end of a line is one.
func TestText_HitsAndHyphens(t *testing.T) {
	w := workers(t)
	// The letters stand from the right to the left, each 20 points wide.
	hebrew := pdftest.OnePage(content("BT /F 20 Tf 100 600 Td (DCBA) Tj ET"), content(""), "/F 6 0 R",
		"<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar 65/LastChar 68/Widths[1000 1000 1000 1000]/Encoding<</Differences[65/uni05D0/uni05D1/uni05D2/uni05D3]>>/ToUnicode 7 0 R>>",
		content("begincmap 1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar <41> <05d0> <42> <05d1> <43> <05d2> <44> <05d3> endbfchar endcmap"))
	for name, c := range map[string]struct {
		file        []byte
		text        string
		left, width float64
	}{
		"Hebrew": {hebrew, "אבגד", 100, 80},
		"Latin":  {pdftest.OnePage(content("BT /F 20 Tf 100 600 Td (AB) Tj ET"), content(""), "/F 6 0 R", "<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar 65/LastChar 66/Widths[1000 1000]>>"), "AB", 100, 40},
	} {
		found, err := w.Search(t.Context(), c.file, c.text)
		if err != nil || len(found) != 1 || found[0].Rect.Left != c.left || found[0].Rect.Width != c.width {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
	cropped := pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/CropBox[0 0 600 400]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		content("BT /F 20 Tf 100 600 Td (Sign here) Tj 0 -300 Td (Sign here) Tj ET"), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	if found, err := w.Search(t.Context(), cropped, "Sign here"); err != nil || len(found) != 1 || found[0].Rect.Top < 0 {
		t.Errorf("off the page: %+v %v", found, err)
	}
	turned := pdftest.OnePage(content("BT /F 20 Tf 100 600 Td (EDCBA) Tj ET"), content(""), "/F 6 0 R", // "A" is Latin, before three letters from the right and a Latin one
		"<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar 65/LastChar 69/Widths[1000 1000 1000 1000 1000]/ToUnicode 7 0 R>>",
		content("begincmap 1 begincodespacerange <00> <ff> endcodespacerange 5 beginbfchar <41> <0041> <42> <05d1> <43> <05d2> <44> <05d3> <45> <05d4> endbfchar endcmap"))
	if all, err := w.Lines(t.Context(), turned, 0); err != nil || len(all) != 1 || all[0].Rect.Left != 100 || all[0].Rect.Width != 100 {
		t.Errorf("the line in two directions: %+v %v", all, err)
	}
	for code, want := range map[string]string{"001b": "X YZ", "fdd0": "X YZ", "0009": "X\tYZ", "00ad": "X\u00adYZ", "2028": "X\u2028YZ"} {
		file := pdftest.OnePage(content("BT /F 20 Tf 100 600 Td (XAYZ) Tj ET"), content(""), "/F 6 0 R",
			"<</Type/Font/Subtype/TrueType/BaseFont/Arial/FirstChar 65/LastChar 65/Widths[600]/Encoding/WinAnsiEncoding/ToUnicode 7 0 R>>",
			content("begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <"+code+"> endbfchar endcmap"))
		if text, _, err := w.Text(t.Context(), file, 0); err != nil || text != want {
			t.Errorf("%s: %q %v", code, text, err)
		}
	}
	broken := pdftest.OnePage(content("BT /F 20 Tf 100 600 Td (The docu-) Tj 0 -24 Td (ment ends.) Tj ET"), content(""), "/F 6 0 R", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	text, _, err := w.Text(t.Context(), broken, 0)
	if err != nil || strings.ContainsRune(text, '\ufffe') || !strings.Contains(text, "docu-") {
		t.Errorf("the text is %q %v", text, err)
	}
	lines, err := w.Lines(t.Context(), broken, 0)
	if err != nil || len(lines) == 0 || strings.ContainsRune(lines[0].Text, '\ufffe') {
		t.Errorf("the lines are %v %v", lines, err)
	}
	if found, err := w.Search(t.Context(), broken, "docu-"); err != nil || len(found) != 1 {
		t.Errorf("%+v %v", found, err)
	}
}
