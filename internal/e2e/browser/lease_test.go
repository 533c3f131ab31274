package browser_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// counter prepares a package by hand, and counts the inputs that are filled in and the
// clicks.
type counter struct {
	hand
	made int
}

func (c *counter) types(part, name, text string) {
	c.t.Helper()
	c.made++
	c.in(part).types(name, text)
}

func (c *counter) presses(part, role, name string) {
	c.t.Helper()
	c.made++
	c.in(part).presses(role, name)
}

// places chooses a kind in the palette and clicks on a point of a page.
func (c *counter) places(kind, page string, left, top float64) {
	c.t.Helper()
	c.presses("Palette", "button", kind)
	c.made++
	c.clickPage(page, left, top)
}

// clickPage clicks on a point of a page, in points from its upper left corner.
func (b *tab) clickPage(page string, left, top float64) {
	b.t.Helper()
	answer := tell[json.RawMessage](b, "image", page, fmt.Sprintf(`function() {
		const points = Number(this.closest("[data-width]").dataset.width);
		let box = this.getBoundingClientRect();
		scrollBy({top: box.top + %g * box.width / points - innerHeight / 3, behavior: "instant"});
		box = this.getBoundingClientRect();
		return {X: box.left + %g * box.width / points, Y: box.top + %g * box.width / points};
	}`, top, left, top))
	var at struct{ X, Y float64 }
	if err := json.Unmarshal(answer, &at); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.MouseClickXY(at.X, at.Y))
	b.settle()
}

// A lease of three pages with two signers in order, an address on its first page and two
// signatures on its last one takes 14 inputs and clicks beside the choice of files, and 18
// where names and addresses are typed one by one.
func TestLease_FewInputsAndClicks(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	for most, singly := range map[int]bool{14: false, 18: true} {
		b.open("/packages/new")
		b.wear(looks[0])
		c := &counter{hand: hand{tab: b}}
		b.takes(upload{"lease.pdf", string(threePages)})
		b.there("image", "Page 3 of lease")
		c.names("Recipient 1", "Tom", "Tenant", singly)
		c.presses("", "button", "Add a recipient")
		b.there("group", "Recipient 2")
		c.names("Recipient 2", "Lara", "Landlord", singly)
		c.presses("", "checkbox", "Sign in this order")
		c.places("Text", "Page 1 of lease", 300, 300)
		c.types("", "Label", "Full address")
		c.places("Full name", "Page 3 of lease", 200, 500)
		c.made++
		c.in("Palette").picks("Recipient", "Lara Landlord")
		c.places("Full name", "Page 3 of lease", 450, 500)
		b.resting("button Full name 2, Full name, Lara Landlord, page 3")
		c.presses("", "button", "Send")
		b.there("heading", "Sent")
		if c.made > most {
			t.Errorf("it takes %d inputs and clicks, want at most %d", c.made, most)
		}
		b.isTheLease(map[string]pdf.Rect{"Full address": {Left: 200, Top: 290, Width: 200, Height: 20}, "Full name 1": {Left: 100, Top: 475, Width: 200, Height: 50}, "Full name 2": {Left: 350, Top: 475, Width: 200, Height: 50}})
	}
}

// names fills in who a recipient is: with an address as it is pasted, or one by one.
func (c *counter) names(part, first, last string, singly bool) {
	c.t.Helper()
	address := strings.ToLower(first) + "@sandbox.example"
	if !singly {
		c.types(part, "E-mail", fmt.Sprintf("%s %s <%s>", first, last, address))
		return
	}
	c.types(part, "First name", first)
	c.types(part, "Last name", last)
	c.types(part, "E-mail", address)
}

// sentField is a field of a package at the platform, with its document's approval's role.
type sentField struct {
	Name, Role string
	Page       int
	pdf.Rect
}

// sentFields returns the fields of the package that is shown, by name, in units of which so
// many are a point.
func (b *tab) sentFields(scale float64) map[string]sentField {
	b.t.Helper()
	id := strings.TrimPrefix(evaluate[string](b, "location.pathname"), "/packages/")
	var made struct {
		Roles     []struct{ ID string }
		Documents []struct {
			Approvals []struct {
				Role   string
				Fields []struct {
					Name                     string
					Page                     int
					Left, Top, Width, Height float64
				}
			}
		}
	}
	body := e2etest.Program(b.t, b.app).SignedIn("alice@sandbox").Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body
	if err := json.Unmarshal(body, &made); err != nil {
		b.t.Fatal(err)
	}
	all := map[string]sentField{}
	for _, d := range made.Documents {
		for _, a := range d.Approvals {
			for _, f := range a.Fields {
				all[f.Name] = sentField{f.Name, a.Role, f.Page, pdf.Rect{Left: f.Left / scale, Top: f.Top / scale, Width: f.Width / scale, Height: f.Height / scale}}
			}
		}
	}
	return all
}

// isTheLease fails unless the package that is shown has the address on its first page and
// two people's signatures on its last one, at these places.
func (b *tab) isTheLease(want map[string]pdf.Rect) {
	b.t.Helper()
	got := b.sentFields(1)
	for name, at := range want {
		near(b.t, name, got[name].Rect, at)
	}
	if len(got) != len(want) || got["Full address"].Page != 0 || got["Full name 1"].Page != 2 || got["Full name 2"].Page != 2 || got["Full name 1"].Role == got["Full name 2"].Role || got["Full address"].Role != got["Full name 1"].Role {
		b.t.Errorf("the fields are %+v", got)
	}
}

// The lease is prepared with the keyboard alone.
func TestLease_PreparedByKeyboard(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	h := hand{tab: b, keyboard: true}
	b.takes(upload{"lease.pdf", string(threePages)})
	b.there("image", "Page 3 of lease")
	h.in("Recipient 1").types("E-mail", "Tom Tenant <tom@sandbox.example>")
	h.presses("button", "Add a recipient")
	b.resting("textbox First name")
	h.in("Recipient 2").types("E-mail", "Lara Landlord <lara@sandbox.example>")
	h.presses("checkbox", "Sign in this order")
	h.in("Palette").presses("button", "Text")
	h.presses("button", "Add a field")
	b.resting("button Text 1, Text, Tom Tenant, page 3") // the page in sight
	b.press(kb.ArrowLeft)
	b.chord(kb.ArrowUp, chromedp.ModifierShift)
	b.press(kb.Enter)
	b.resting("textbox Label")
	h.types("Page", "1")
	h.goes("textbox", "Label")
	b.chord("a", chromedp.ModifierCtrl)
	b.press("Full address")
	b.press(kb.Escape)
	b.resting("button Full address, Text, Tom Tenant, page 1")
	h.presses("link", "Page 3")
	h.in("Palette").presses("button", "Full name")
	h.presses("button", "Add a field")
	b.resting("button Full name 1, Full name, Tom Tenant, page 3")
	h.in("Palette").picks("Recipient", "Lara Landlord")
	h.in("Palette").presses("button", "Full name")
	h.presses("button", "Add a field")
	b.resting("button Full name 2, Full name, Lara Landlord, page 3")
	h.types("Top", "600")
	h.presses("button", "Send")
	b.there("heading", "Sent")
	const left = 595.0/2 - 100
	b.isTheLease(map[string]pdf.Rect{"Full address": {Left: left - 1, Top: 401, Width: 200, Height: 20}, "Full name 1": {Left: left, Top: 396, Width: 200, Height: 50}, "Full name 2": {Left: left, Top: 600, Width: 200, Height: 50}})
}

// shapes are pages as people see them: Letter, A4, landscape, and turned in each direction,
// one of them cropped as well.
var shapes = []struct {
	page          string
	width, height float64
}{
	{"/MediaBox[0 0 612 792]", 612, 792},
	{"/MediaBox[0 0 595.28 841.89]", 595.28, 841.89},
	{"/MediaBox[0 0 842 595]", 842, 595},
	{"/MediaBox[0 0 595 842]/Rotate 90", 842, 595},
	{"/MediaBox[0 0 600 800]/CropBox[50 20 550 720]/Rotate 180", 500, 700},
	{"/MediaBox[0 0 595 842]/Rotate 270", 842, 595},
}

// shaped returns a document with a page of each of shapes.
func shaped() []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", ""}
	var kids strings.Builder
	for _, s := range shapes {
		objects = append(objects, "<</Type/Page/Parent 2 0 R"+s.page+">>")
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(shapes))
	return pdftest.File(objects...)
}

// Where somebody clicks is where the field is sent to, and where its value stands in the
// finished document, whatever the page's size and direction and the platform's unit are.
func TestField_PlacedWhereClicked(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "PUT", "/account", members{"unitsPerInch": 93.6})
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	b.takes(upload{"lease.pdf", string(shaped())})
	b.there("image", "Page 6 of lease")
	h := hand{tab: b}
	h.in("Recipient 1").types("E-mail", "Alice Archer <alice@sandbox.example>")
	want, values := map[string]pdf.Rect{}, map[string]string{}
	for i, s := range shapes {
		label := fmt.Sprintf("Text %d", i+1)
		h.in("Palette").presses("button", "Text")
		x, y := s.width/2+20, s.height/3
		b.clickPage(fmt.Sprintf("Page %d of lease", i+1), x, y)
		b.resting(fmt.Sprintf("button %s, Text, Alice Archer, page %d", label, i+1))
		want[label], values[label] = pdf.Rect{Left: x - 100, Top: y - 10, Width: 200, Height: 20}, fmt.Sprint(4711+i)
	}
	h.presses("button", "Send")
	b.there("heading", "Waiting for you")
	id := strings.TrimPrefix(evaluate[string](b, "location.pathname"), "/packages/")
	sent := b.sentFields(1.3)
	for name, at := range want {
		near(t, name+" as it is sent", sent[name].Rect, at)
	}
	h.presses("link", "Sign now")
	h.presses("button", "Accept")
	for _, label := range slices.Sorted(maps.Keys(values)) {
		h.types(label, values[label])
	}
	h.presses("button", "Sign")
	b.says("status", "You have signed")
	finished := finishedFile(t, app, id)
	for name, at := range want {
		standsOn(t, finished, sent[name].Page, values[name], at)
	}
}

// The lease is prepared without scripts, by labels and numbers.
func TestLease_PreparedWithoutScripts(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.withoutScripts()
	b.open("/packages/new")
	file := filepath.Join(t.TempDir(), "lease.pdf")
	if err := os.WriteFile(file, threePages, 0o600); err != nil {
		t.Fatal(err)
	}
	input := call(b, runtime.Evaluate, runtime.EvaluateParams{Expression: `[...document.querySelectorAll("label")].find((one) => one.textContent === "Choose files").control`})
	call(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, ObjectID: input.Result.ObjectID})
	h := hand{tab: b}
	h.presses("button", "Add the chosen files")
	b.there("image", "Page 3 of lease")
	h.in("Recipient 1").types("E-mail", "Tom Tenant <tom@sandbox.example>")
	h.presses("button", "Add a recipient")
	h.in("Recipient 2").types("E-mail", "Lara Landlord <lara@sandbox.example>")
	h.presses("checkbox", "Sign in this order")
	for i, f := range [][]string{
		{"Tom Tenant", "Text", "Full address", "1", "200", "290"}, {"Tom Tenant", "Full name", "Full name 1", "3", "100", "475"}, {"Lara Landlord", "Full name", "Full name 2", "3", "350", "475"},
	} {
		h.presses("button", "Add a field")
		group := []string{"Full name 1", "Full name 1", "Full name 2"}[i]
		b.there("group", group)
		part := h.in(group)
		part.picks("Recipient", f[0])
		part.picks("Kind", f[1])
		for at, label := range []string{"Label", "Page", "Left", "Top"} {
			part.types(label, f[2+at])
		}
	}
	h.presses("button", "Send")
	b.there("heading", "Sent")
	b.isTheLease(map[string]pdf.Rect{"Full address": {Left: 200, Top: 290, Width: 200, Height: 20}, "Full name 1": {Left: 100, Top: 475, Width: 200, Height: 50}, "Full name 2": {Left: 350, Top: 475, Width: 200, Height: 50}})
}
