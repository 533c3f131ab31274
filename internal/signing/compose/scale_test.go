package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/signing"
	"countersign/internal/signing/compose"
)

func words(kind string) string { return strings.ToUpper(kind) }

// letter returns a form with a page of US letter, of a platform with 93.6 units to the
// inch.
func letter() compose.Form {
	f := compose.New()
	f.AddDocument(compose.Document{ID: "lease", Name: "lease.pdf", Pages: []compose.Page{{Width: 795.6, Height: 1029.6}}})
	f.Measure(0, []compose.Page{{Width: 612, Height: 792}})
	return f
}

func sent(t *testing.T, f compose.Form) []signing.Field {
	t.Helper()
	var all []signing.Field
	for _, approval := range f.Payload().Documents[0].Approvals {
		all = append(all, approval.Fields...)
	}
	return all
}

// Points are sent in the platform's unit, and read back as they were typed.
func TestPoints_SentInPlatformUnit(t *testing.T) {
	f := letter()
	for range 3 {
		f.Step("add-field")
	}
	f.Type(map[string]string{
		"f3.recipient": "r1", "f3.kind": "fullname", "f3.left": "100", "f3.top": "50", "f3.width": "200", "f3.height": "50",
		"f4.recipient": "r1", "f4.kind": "text", "f4.anchor": "Lease", "f4.left": "100", "f4.top": "50", "f4.right": "10", "f4.down": "-20",
		"f5.recipient": "r1", "f5.kind": "date", "f5.left": "33.3", "f5.top": "0", "f5.width": "77.7", "f5.height": "20",
	}, words)
	fields := sent(t, f)
	box := func(d signing.Field) [4]float64 { return [4]float64{d.Left, d.Top, d.Width, d.Height} }
	if got := box(fields[0]); got != [4]float64{130, 65, 260, 65} {
		t.Errorf("the signature stands at %v", got)
	}
	if a := fields[1].Anchor; a == nil || [4]float64{a.LeftOffset, a.TopOffset, a.Width, a.Height} != [4]float64{13, -26, 260, 26} || box(fields[1]) != [4]float64{} {
		t.Errorf("the text stands by %+v at %v", fields[1].Anchor, box(fields[1]))
	}
	if got := box(fields[2]); got != [4]float64{43.29, 0, 101.01, 26} {
		t.Errorf("the date stands at %v", got)
	}
	value, err := json.Marshal(map[string]any{
		"roles": []any{signing.RoleChange{ID: "r", Signers: []signing.Signer{{}}}},
		"documents": []any{map[string]any{
			"id": "lease", "name": "lease.pdf", "pages": []any{signing.PageSize{Width: 795.6, Height: 1029.6}},
			"approvals": []signing.Approval{{Role: "r", Fields: fields}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := compose.FormOf(value)
	if err != nil {
		t.Fatal(err)
	}
	again.Measure(0, []compose.Page{{Width: 612, Height: 792}})
	if d := again.Fields[0]; !slices.Equal([]string{d.Left, d.Top, d.Width, d.Height, d.Label}, []string{"100", "50", "200", "50", "FULLNAME 1"}) {
		t.Errorf("the signature is read as %+v", d)
	}
	if got := box(sent(t, again)[2]); got != [4]float64{43.29, 0, 101.01, 26} {
		t.Errorf("the date comes back as %v", got)
	}
}

// A recipient without a field signs within the page, whatever the platform's unit.
func TestSignatures_RecipientWithoutField(t *testing.T) {
	f := letter()
	for range 20 {
		f.AddRecipient()
	}
	for _, d := range sent(t, f) {
		if d.Left+d.Width > 795.6 || d.Top+d.Height > 1029.6 || d.Width != 260 || d.Height != 65 {
			t.Errorf("a signature stands at %v, %v and is %v × %v", d.Left, d.Top, d.Width, d.Height)
		}
	}
}
