package pdf_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	reading "countersign/internal/pdf"
	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestMain(m *testing.M) {
	pdftest.Serve()
	os.Exit(m.Run())
}

func content(text string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text)
}

func near(a, b float64) bool { return a-b < 0.1 && b-a < 0.1 }

// A marked button is on.
func TestWrite_ButtonsTicked(t *testing.T) {
	w := pdftest.Workers()
	file := pdftest.File(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/Annots[4 0 R]>>",
		"<</T(agreed)/FT/Btn/Subtype/Widget/Rect[100 700 120 720]/V/Off/AS/Off/AP<</N<</Off 5 0 R/Ja 5 0 R>>>>>>",
		"<</Length 0>>\nstream\n\nendstream",
	)
	written, err := pdf.Write(t.Context(), w, file, []pdf.Mark{{Rect: reading.Rect{Left: 100, Top: 80, Width: 20, Height: 20}, Text: "X", Field: "agreed"}})
	if err != nil || !bytes.Contains(written, []byte("/V/Ja")) || !bytes.Contains(written, []byte("/AS/Ja")) {
		t.Errorf("%s %v", written, err)
	}
}

// A file that may be read, but not changed without a password, is read and written
// without its protection.
func TestWrite_RestrictedFile(t *testing.T) {
	w := pdftest.Workers()
	d, err := w.Read(t.Context(), pdftest.Restricted, nil)
	if err != nil || len(d.Fields) != 1 || d.Fields[0].Name != "name" {
		t.Fatalf("%+v %v", d, err)
	}
	written, err := pdf.Write(t.Context(), w, pdftest.Restricted, []pdf.Mark{{Rect: d.Fields[0].Rect, Text: "Grace", Field: "name"}})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = w.Read(t.Context(), written, []reading.Anchor{{Text: "Grace"}}); err != nil || !d.Places[0].Found || d.Fields[0].Name != "name" {
		t.Errorf("%+v %v", d, err)
	}
}

func TestWrite_Marks(t *testing.T) {
	w := pdftest.Workers()
	marks := []pdf.Mark{
		{Rect: reading.Rect{Left: 100, Top: 80, Width: 200, Height: 20}, Text: "Grace (Ö)", Field: "person.name"},
		{Rect: reading.Rect{Left: 10, Top: 300, Width: 200, Height: 40}, Text: "Grace Hopper", Signature: true, Strokes: [][]pdf.Point{{{0, 0}, {1, 1}}, {{0.5, 0.5}}}},
		{Page: 1, Rect: reading.Rect{Left: 100, Top: 50, Width: 200, Height: 30}, Text: "one\ntwo"},
		{Page: 7, Text: "on no page"},
	}
	written, err := pdf.Write(t.Context(), w, pdftest.Form(), marks)
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.Read(t.Context(), written, []reading.Anchor{{Text: "Grace (Ö)"}, {Text: "Grace Hopper"}, {Text: "two"}, {Text: "on no page"}})
	if err != nil || len(d.Pages) != 2 || len(d.Fields) != 5 {
		t.Fatalf("%+v %v", d, err)
	}
	for i, m := range marks[:3] {
		p, inside := d.Places[i], m.Rect
		if !p.Found || p.Page != m.Page || p.Rect.Left < inside.Left || p.Rect.Left > inside.Left+5 || p.Rect.Top < inside.Top || p.Rect.Top+p.Rect.Height > inside.Top+inside.Height {
			t.Errorf("%s stands at %+v, not in %+v", m.Text, p, inside)
		}
	}
	if d.Places[3].Found {
		t.Error("a mark of no page is somewhere")
	}
	lower := marks[2]
	lower.Rect.Top += 100
	again, err := pdf.Write(t.Context(), w, written, []pdf.Mark{lower})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := w.Read(t.Context(), again, []reading.Anchor{{Text: "Grace Hopper"}, {Text: "two", Index: 1}}); err != nil || !d.Places[0].Found || !d.Places[1].Found {
		t.Errorf("written twice: %+v %v", d, err)
	}
}

// What is written in any script is found again, by PDFium and, where it is installed, by
// another reader, on a turned and cropped page as well.
func TestWrite_EveryScriptReadable(t *testing.T) {
	w := pdftest.Workers()
	texts := []string{"Zoë Łącki", "Αβγδ εζη", "Жданов Ирина", "山田太郎 (署名)", "Signed € “so”"}
	for page := range 2 {
		var marks []pdf.Mark
		var anchors []reading.Anchor
		for i, text := range texts {
			marks = append(marks, pdf.Mark{Page: page, Text: text, Signature: i == 0, Rect: reading.Rect{Left: 50, Top: 100 + 40*float64(i), Width: 200, Height: 20}})
			anchors = append(anchors, reading.Anchor{Text: text})
		}
		written, err := pdf.Write(t.Context(), w, pdftest.Form(), marks)
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.Read(t.Context(), written, anchors)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range d.Places {
			if !p.Found || p.Page != page || !near(p.Rect.Left, 51) || p.Rect.Top < marks[i].Rect.Top || p.Rect.Top > marks[i].Rect.Top+20 {
				t.Errorf("%s stands at %+v", texts[i], p)
			}
		}
		other, err := exec.LookPath("pdftotext")
		if err != nil {
			continue
		}
		command := exec.CommandContext(t.Context(), other, "-", "-")
		command.Stdin = bytes.NewReader(written)
		read, err := command.Output()
		for _, text := range texts {
			if err != nil || !strings.Contains(string(read), text) {
				t.Errorf("page %d: another reader finds no %q, %v: %q", page, text, err, read)
			}
		}
	}
}

// Marks are at their place even if the page's own content leaves its state changed, or
// restores more than it saved.
func TestWrite_UnbalancedContent(t *testing.T) {
	w := pdftest.Workers()
	for _, before := range []string{"q q 3 0 0 3 50 50 cm", "Q Q 2 0 0 2 0 0 cm q", ""} {
		written, err := pdf.Write(t.Context(), w, pdftest.OnePage(content(before), content(""), ""), []pdf.Mark{{Rect: reading.Rect{Left: 100, Top: 200, Width: 100, Height: 20}, Text: "Grace"}})
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.Read(t.Context(), written, []reading.Anchor{{Text: "Grace"}})
		if p := d.Places[0]; err != nil || !p.Found || !near(p.Rect.Left, 101) || p.Rect.Top < 200 || p.Rect.Top > 220 {
			t.Errorf("after %q: %+v %v", before, p, err)
		}
	}
}

// Marks are visible next to encrypted streams without content.
func TestWrite_EmptyEncryptedStreams(t *testing.T) {
	w := pdftest.Workers()
	d, err := w.Read(t.Context(), pdftest.EmptyStream, nil)
	if err != nil || len(d.Fields) != 1 || d.Fields[0].Name != "Surname" {
		t.Errorf("%+v %v", d, err)
	}
	rect := reading.Rect{Left: 100, Top: 200, Width: 200, Height: 20}
	written, err := pdf.Write(t.Context(), w, pdftest.EmptyStream, []pdf.Mark{{Rect: rect, Text: "Lovelace"}})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := w.Read(t.Context(), written, []reading.Anchor{{Text: "Lovelace"}}); err != nil || !d.Places[0].Found {
		t.Errorf("%+v %v", d, err)
	}
}
