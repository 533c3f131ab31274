package compose

import (
	"slices"
	"testing"

	"countersign/internal/signing"
)

// A field that would end beside its page is an error at the input that leads there.
func TestFields_BeyondPageRefused(t *testing.T) {
	for _, c := range []struct {
		field Field
		want  string
	}{
		{Field{Left: "5950"}, "left"}, {Field{Top: "9000"}, "top"}, {Field{Width: "2000"}, "width"}, {Field{Height: "843"}, "height"}, {Field{Left: "-5"}, "left"}, {Field{Top: "-0.5"}, "top"},
		{Field{Left: "395.3"}, "left"}, {Field{Left: "395"}, ""}, {Field{Left: "395.276", Top: "791.89"}, ""}, {Field{}, ""}, {Field{Width: "595.276", Height: "841.89"}, ""}, {Field{Left: "1e300"}, "left"},
		{Field{Anchor: "x", At: &spot{Document: "d1", Text: "x", Left: 549, Top: 100, Width: 30, Height: 10}}, "right"},
		{Field{Anchor: "x", Place: "below", At: &spot{Document: "d1", Text: "x", Left: 50, Top: 830, Width: 30, Height: 10}}, "down"},
		{Field{Anchor: "x", Place: "above", At: &spot{Document: "d1", Text: "x", Left: 50, Top: 20, Width: 30, Height: 10}}, "down"},
		{Field{Anchor: "x", Right: "-60", At: &spot{Document: "d1", Text: "x", Left: 50, Top: 20, Width: 30, Height: 10}}, "right"},
		{Field{Anchor: "x", At: &spot{Document: "d1", Text: "x", Left: 50, Top: 20, Width: 30, Height: 10}}, ""},
	} {
		f := New()
		f.Documents = []Document{{Key: "d1", ID: "d", Scale: 1, Pages: []Page{{Width: 595.276, Height: 841.89}}}}
		d := c.field
		d.Key, d.Document, d.Recipient, d.Kind, d.Page, d.Label = "f1", "d1", f.Recipients[0].Key, "fullname", "1", "Sign"
		f.Fields = []Field{d}
		found := f.invalidInputs()
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || found[0].Pointer != "f1."+c.want || found[0].Detail != "field.off-page") {
			t.Errorf("%+v: %v, want %s", c.field, found, c.want)
		}
	}
}

// Signatures that are added at the end stand on the page, each beside the others.
func TestSignatures_AddedWithinPage(t *testing.T) {
	for _, page := range []Page{{595, 842}, {420, 595}, {226, 800}, {150, 150}, {241, 110}, {842, 595}, {20, 30}, {3000, 40}} {
		for _, n := range []int{1, 9, 25, maxRecipients} {
			f := New()
			for range n - 1 {
				f.AddRecipient()
			}
			f.Documents = []Document{{Key: "d1", ID: "d", Scale: 1, Pages: []Page{page}}}
			var all []signing.Field
			for _, a := range f.Payload().Documents[0].Approvals {
				all = append(all, a.Fields...)
			}
			for i, a := range all {
				if a.Left < 0 || a.Top < 0 || a.Left+a.Width > page.Width || a.Top+a.Height > page.Height || a.Width <= 0 || a.Height <= 0 {
					t.Errorf("%d on %v: one stands at %v, %v and is %v × %v", n, page, a.Left, a.Top, a.Width, a.Height)
				}
				if slices.ContainsFunc(all[:i], func(b signing.Field) bool {
					return a.Left < b.Left+b.Width && b.Left < a.Left+a.Width && a.Top < b.Top+b.Height && b.Top < a.Top+a.Height
				}) {
					t.Errorf("%d on %v: one stands over another at %v, %v", n, page, a.Left, a.Top)
				}
			}
			if len(all) != n {
				t.Errorf("%d on %v: there are %d", n, page, len(all))
			}
			f.Step("add-field")
			if wrong := f.invalidInputs(); len(wrong) > 0 {
				t.Errorf("an added field on %v: %v", page, wrong)
			}
		}
	}
}
