package compose_test

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/e2e/e2etest"
)

// sentField is a field of a package at the platform.
type sentField struct {
	Name, Subtype            string
	Page                     int
	Left, Top, Width, Height float64
	Anchor                   *sentAnchor `json:"extractAnchor"`
}

type sentAnchor struct {
	Text                  string
	Index                 int
	LeftOffset, TopOffset float64
	Width, Height         float64
}

// fields returns the package's fields, in order.
func (p *page) fields() (all []sentField) {
	p.t.Helper()
	var made struct {
		Documents []struct {
			Approvals []struct{ Fields []sentField }
		}
	}
	body := p.client.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body
	if err := json.Unmarshal(body, &made, json.MatchCaseInsensitiveNames(true)); err != nil {
		p.t.Fatal(err)
	}
	for _, d := range made.Documents {
		for _, a := range d.Approvals {
			all = append(all, a.Fields...)
		}
	}
	return all
}

// ready returns a package of one document for Alice, with so many fields to be set.
func ready(t *testing.T, app *e2etest.App, fields int) *page {
	t.Helper()
	p := open(t, e2etest.Browser(t, app).SignedIn("alice@sandbox"), "/packages/new").set("name", "Lease").set(firstIsAlice...)
	p.choose("lease.pdf", document("Lease")).follow("add-files")
	for range fields {
		p.follow("add-field")
	}
	return p
}

func TestFields_PlacedAndNamed(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), fieldsArePlaced, aFieldStandsByAText, fieldsAreSentAsLargeAsShown, fieldsAreNamed, fieldsAreNamedInTheLanguageOfThePackage,
		fieldsAreSomebodys, fieldsAreAddedByThePage, hitsOfAText, aFieldStandsBesideAHit,
	)
}

// A field placed by a text stays there unless it is moved: the coordinates of free
// placement are not distances, and each way of placing keeps its own.
func aFieldStandsByAText(t *testing.T, app *e2etest.App) {
	p := ready(t, app, 1).has("Place it by a text", "Move right by", "Move down by")
	p.set("f3.left", "70", "f3.top", "110", "f3.anchor", "Lease").follow("save")
	at := p.fields()[0]
	if at.Anchor == nil || *at.Anchor != (sentAnchor{"Lease", 0, 0, 0, 200, 50}) {
		t.Fatalf("it stands by %+v", at.Anchor)
	}
	p.set("f3.right", "12.5", "f3.down", "-3").follow("save")
	if moved := p.fields()[0]; moved.Left != at.Left+12.5 || moved.Top != at.Top-3 {
		t.Errorf("it is moved from %v, %v to %v, %v", at.Left, at.Top, moved.Left, moved.Top)
	}
	p.set("f3.anchor", "").follow("save")
	if free := p.fields()[0]; free.Anchor != nil || free.Left != 70 || free.Top != 110 {
		t.Errorf("its free place is %+v", free)
	}
	p.set("f3.anchor", "Lease", "f3.down", "x", "f3.left", "y", "f3.page", "z")
	p.take(p.press("save").Want(http.StatusBadRequest))
	if found := wrong.FindAllString(p.body, -1); !reflect.DeepEqual(found, []string{`id="f3.down-wrong"`}) {
		t.Errorf("wrong are %q", found)
	}
	p.set("f3.anchor", "")
	p.take(p.press("save").Want(http.StatusBadRequest))
	p.has(`id="f3.left-wrong"`, `id="f3.page-wrong"`)
	p.set("f3.anchor", "Lease", "f3.right", "", "f3.down", "7").press("send").Want(http.StatusSeeOther)
	if sent := p.fields()[0]; *sent.Anchor != (sentAnchor{"Lease", 0, 0, 7, 200, 50}) || sent.Left != at.Left || sent.Top != at.Top+7 {
		t.Errorf("it is sent as %+v by %+v", sent, *sent.Anchor)
	}
}

// sizes are the default sizes of fields, by kind.
var sizes = map[string][2]float64{
	"fullname": {200, 50}, "initials": {80, 40}, "drawn": {200, 50}, "mobile": {200, 50}, "text": {200, 20}, "area": {200, 60}, "date": {100, 20},
	"checkbox": {14, 14}, "list": {200, 20}, "radio": {14, 14}, "custom": {200, 20}, "label": {200, 20},
}

// A field is sent in the size in which it is shown. A changed kind brings its size,
// unless another one was typed.
func fieldsAreSentAsLargeAsShown(t *testing.T, app *e2etest.App) {
	e2etest.Browser(t, app).SignedIn("carol@sandbox").Send("POST", "/api/account/customfields", `{"id":"plant","value":"North","translations":[{"name":"Plant"}]}`, "Content-Type", "application/json").Want(http.StatusOK)
	p := ready(t, app, 1)
	shown := func() [2]float64 {
		width, _ := strconv.ParseFloat(p.values.Get("f3.width"), 64)
		height, _ := strconv.ParseFloat(p.values.Get("f3.height"), 64)
		return [2]float64{width, height}
	}
	for kind, size := range sizes {
		p.set("f3.kind", kind, "f3.options", "one", "f3.custom", "plant", "f3.group", "g").follow("save")
		p.has(`<rect width="` + number(size[0]) + `" height="` + number(size[1]) + `"/>`)
		if sent := p.fields()[0]; shown() != size || sent.Width != size[0] || sent.Height != size[1] {
			t.Errorf("%s is shown as %v and sent as %v × %v, want %v", kind, shown(), sent.Width, sent.Height, size)
		}
	}
	p.set("f3.kind", "initials").follow("save").set("f3.kind", "text", "f3.height", "33").follow("save")
	p.set("f3.kind", "date").follow("save")
	if sent := p.fields()[0]; sent.Width != 80 || sent.Height != 33 {
		t.Errorf("what was typed is sent as %v × %v", sent.Width, sent.Height)
	}
	p.set("f3.width", "", "f3.height", "").follow("save").set("f3.kind", "area").follow("save")
	if sent := p.fields()[0]; sent.Width != 200 || sent.Height != 60 {
		t.Errorf("what was emptied is sent as %v × %v", sent.Width, sent.Height)
	}
	for _, odd := range []string{"0", "-5", "x", "NaN", "1e999"} {
		p.set("f3.width", odd)
		p.take(p.press("send").Want(http.StatusBadRequest))
		p.has(`id="f3.width-wrong"`, `value="`+odd+`"`)
	}
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// A signer is asked for a field by the sender's name for it.
func fieldsAreNamed(t *testing.T, app *e2etest.App) {
	p := ready(t, app, 3).has(">Full name 1</legend>", ">Full name 2</legend>", ">Full name 3</legend>")
	p.set("f3.kind", "text", "f4.kind", "text", "f5.kind", "area").follow("keep")
	p.has(">Text 1</legend>", ">Text 2</legend>", ">Text area 1</legend>", `aria-label="Text 1, Text, Alice Archer, page 1"`)
	p.set("f3.label", " Full address ", "f4.kind", "date").follow("keep").has(">Full address</legend>", ">Date 1</legend>")
	p.set("f3.kind", "area", "f5.label", "").follow("keep").has(">Full address</legend>", ">Text area 1</legend>")
	p.set("f5.label", "Full address").take(p.press("send").Want(http.StatusBadRequest))
	if found := wrong.FindAllString(p.body, -1); !reflect.DeepEqual(found, []string{`id="f5.label-wrong"`}) {
		t.Fatalf("wrong are %q", found)
	}
	p.set("f5.label", "Ümlaut <&> 住所").press("send").Want(http.StatusSeeOther)
	var names []string
	for _, f := range p.fields() {
		names = append(names, f.Name)
	}
	if want := []string{"Full address", "Date 1", "Ümlaut <&> 住所"}; !reflect.DeepEqual(names, want) {
		t.Errorf("they are sent as %q", names)
	}
}

// The default label is in the language of the package, and stays in it.
func fieldsAreNamedInTheLanguageOfThePackage(t *testing.T, app *e2etest.App) {
	p := ready(t, app, 1)
	made := p.client.Send("POST", "/api/packages", `{"name":"Vertrag","language":"de","roles":[],"documents":[]}`, "Content-Type", "application/json").Want(http.StatusOK)
	german := open(t, p.client, "/packages/new/"+made.Text("id")).choose("lease.pdf", document("Lease")).follow("add-files").follow("add-field")
	german.has("<legend", ">Voller Name 1</legend>", ">Full name</option>")
	german.set("f3.kind", "text").follow("keep").has(">Text 1</legend>")
	german.set("f3.kind", "checkbox").follow("keep").has(">Kontrollkästchen 1</legend>")
}

// Two recipients may be asked for the same; a field without a recipient is not sent
// unnoticed.
func fieldsAreSomebodys(t *testing.T, app *e2etest.App) {
	p := ready(t, app, 2).follow("add-recipient")
	other := strings.TrimSuffix(lastRecipient(t, p.body), ".email")
	p.set(other+".first_name", "Bob", other+".last_name", "Builder", other+".email", "bob@sandbox.example")
	p.set("f3.kind", "date", "f4.kind", "date", "f3.label", "Date", "f4.label", "Date", "f4.recipient", other).follow("save")
	p.follow("remove:" + other).take(p.press("send").Want(http.StatusBadRequest))
	if found := wrong.FindAllString(p.body, -1); !reflect.DeepEqual(found, []string{`id="f4.recipient-wrong"`}) {
		t.Fatalf("wrong are %q", found)
	}
	p.follow("remove:f4").press("send").Want(http.StatusSeeOther)
}

// lastRecipient returns the name of the last recipient's e-mail input.
func lastRecipient(t *testing.T, body string) string {
	t.Helper()
	i := strings.LastIndex(body, `.email" name="`)
	if i < 0 {
		t.Fatalf("there is no recipient: %s", body)
	}
	name, _, _ := strings.Cut(body[i+len(`.email" name="`):], `"`)
	return name
}
