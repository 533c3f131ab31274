package browser_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/pdf"
	sandboxpdf "countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// What a sender calls a field is its name on the signing page, and what is typed there stands
// in the finished PDF where the form showed the field: by its place and by a text, whatever
// the units of the platform are.
func TestBrowserAFieldIsWhereItIsShown(t *testing.T) {
	for _, units := range []float64{72, 93.6} {
		t.Run(fmt.Sprint(units), func(t *testing.T) {
			app := e2etest.Boot(t)
			e2etest.Manage(t, app, "PUT", "/account", members{"unitsPerInch": units})
			b := visit(t, app)
			b.signIn("alice@sandbox", "/packages/new")
			file := sandboxpdf.Text("Tenancy agreement", "", "Tenant:")
			h := hand{tab: b}
			h.preparesTwoFields(file)
			free, beside := b.onSheet("Customer number, Text, Alice Archer, page 1"), b.onSheet("Rent, Text, Alice Archer, page 1")
			h.presses("button", "Send")
			b.there("heading", "Waiting for you")
			id := strings.TrimPrefix(evaluate[string](b, "location.pathname"), "/packages/")
			h.presses("link", "Sign now")
			h.presses("button", "Accept")
			b.there("textbox", "Customer number")
			b.there("textbox", "Rent")
			places := map[string]pdf.Rect{}
			for value, label := range map[string]string{"4711": "Customer number", "815": "Rent"} {
				places[value] = b.shown(fmt.Sprintf(`[...document.querySelectorAll("svg g")].find((g) => g.querySelector("title").textContent === %q).querySelector("rect")`, label), file)
				h.types(label, value)
			}
			h.presses("button", "Sign")
			b.says("status", "You have signed")
			near(t, "the place of the form on the signing page", places["4711"], free)
			near(t, "the place beside the text on the signing page", places["815"], beside)
			tenant := lineOf(t, file, 0, "Tenant:")
			if at := places["815"]; math.Abs(at.Left-tenant.Left-60) > 1 || math.Abs(at.Top-tenant.Top-30) > 2 {
				t.Errorf("by the text at %+v the field is shown at %+v", tenant, at)
			}
			finished := finishedFile(t, app, id)
			for value, place := range places {
				standsOn(t, finished, 0, value, place)
			}
		})
	}
}

// preparesTwoFields prepares a package of one document with a field at a point and one by a
// text, both for Alice herself.
func (h hand) preparesTwoFields(file []byte) {
	h.t.Helper()
	h.types("Name", "Lease")
	h.takes(upload{"lease.pdf", string(file)})
	for _, in := range [][2]string{{"First name", "Alice"}, {"Last name", "Archer"}, {"E-mail", "alice@sandbox.example"}} {
		h.types(in[0], in[1])
	}
	for _, field := range [][][2]string{
		{{"Label", "Customer number"}, {"Left", "120"}, {"Top", "300"}},
		{{"Label", "Rent"}, {"Place it by a text", "Tenant:"}, {"Move right by", "60"}, {"Move down by", "30"}},
	} {
		h.presses("button", "Add a field")
		h.in("Full name 1").picks("Kind", "Text")
		h.in("Text 1").types(field[0][0], field[0][1])
		for _, in := range field[1:] {
			h.in(field[0][1]).types(in[0], in[1])
		}
	}
	h.there("button", "Customer number, Text, Alice Archer, page 1")
	h.there("button", "Rent, Text, Alice Archer, page 1")
}

// onSheet returns where a field stands on its page of A4, in points.
func (b *tab) onSheet(name string) (at pdf.Rect) {
	b.t.Helper()
	answer := tell[json.RawMessage](b, "button", name, `function() {
		const sheet = this.closest("[data-sheet]"), page = this.parentElement.getBoundingClientRect(), box = this.getBoundingClientRect();
		const scale = page.width / sheet.dataset.width;
		return {Left: (box.left - page.left) / scale, Top: (box.top - page.top) / scale, Width: box.width / scale, Height: box.height / scale};
	}`)
	if err := json.Unmarshal(answer, &at); err != nil {
		b.t.Fatal(err)
	}
	return at
}

// shown returns where a rectangle of an outline, an expression in JavaScript, stands on its page,
// in points of the page of file.
func (b *tab) shown(rectangle string, file []byte) pdf.Rect {
	b.t.Helper()
	answer := evaluate[json.RawMessage](b, fmt.Sprintf(`(() => {
		const rect = %s, sheet = rect.ownerSVGElement, box = rect.getBBox(), page = sheet.viewBox.baseVal;
		const on = sheet.getScreenCTM().inverse().multiply(rect.getScreenCTM());
		return {Left: (on.e + box.x) / page.width, Top: (on.f + box.y) / page.height, Width: box.width / page.width, Height: box.height / page.height};
	})()`, rectangle))
	var part pdf.Rect
	if err := json.Unmarshal(answer, &part); err != nil {
		b.t.Fatal(err)
	}
	w := pdf.NewWorkers(pdftest.Options())
	defer w.Close()
	known, err := w.Read(b.t.Context(), file, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	page := known.Pages[0]
	return pdf.Rect{Left: part.Left * page.Width, Top: part.Top * page.Height, Width: part.Width * page.Width, Height: part.Height * page.Height}
}

// lineOf returns where a line stands on a page, which counts from 0.
func lineOf(t testing.TB, file []byte, page int, text string) pdf.Rect {
	t.Helper()
	w := pdf.NewWorkers(pdftest.Options())
	defer w.Close()
	lines, err := w.Lines(t.Context(), file, page)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(lines, func(l pdf.Line) bool { return strings.TrimSpace(l.Text) == text })
	if i < 0 {
		t.Fatalf("there is no line %q in %+v", text, lines)
	}
	return lines[i].Rect
}

// finishedFile is the one document of a package.
func finishedFile(t *testing.T, app *e2etest.App, id string) []byte {
	t.Helper()
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	var p struct {
		Documents []struct{ ID, Name string }
	}
	if err := json.Unmarshal(alice.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body, &p); err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Documents {
		if strings.HasPrefix(d.Name, "lease") {
			return alice.Send("GET", "/api/packages/"+id+"/documents/"+d.ID+"/pdf", nil).Want(http.StatusOK).Body
		}
	}
	t.Fatalf("the package has %+v", p.Documents)
	return nil
}

// near fails unless two rectangles are the same but for a point.
func near(t testing.TB, what string, got, want pdf.Rect) {
	t.Helper()
	for _, by := range []float64{got.Left - want.Left, got.Top - want.Top, got.Width - want.Width, got.Height - want.Height} {
		if math.Abs(by) > 1 {
			t.Errorf("%s: %+v, want %+v", what, got, want)
			return
		}
	}
}

// standsOn fails unless text, digits in Helvetica, begins at the left of its place on a page and
// stands in the middle of its height, but for a point.
func standsOn(t testing.TB, file []byte, page int, text string, place pdf.Rect) {
	t.Helper()
	const ascent, depth = 718, 207 // a line reaches below its digits, for letters such as g
	at := lineOf(t, file, page, text)
	middle := at.Top + at.Height*ascent/(ascent+depth)/2
	if left := at.Left - place.Left; left < 0 || left > 2 || math.Abs(middle-place.Top-place.Height/2) > 1 {
		t.Errorf("%s stands at %+v, and was shown in %+v", text, at, place)
	}
}
