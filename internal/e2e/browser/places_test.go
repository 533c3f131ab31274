package browser_test

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

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
