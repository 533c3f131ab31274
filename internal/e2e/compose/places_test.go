package compose_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf/pdftest"
)

// paper returns a PDF of one empty page.
func paper(width, height string, rotated int) string {
	return string(pdftest.File(
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %s %s]/Rotate %d>>", width, height, rotated),
	))
}

// What stands somewhere on a page is sent there, whatever the page's size, its rotation and
// the platform's unit.
func placesOfEveryPaper(t *testing.T, app *e2etest.App) {
	const added = "f1700000000001"
	for _, units := range []float64{72, 93.6} {
		e2etest.Manage(t, app, "PUT", "/account", map[string]any{"unitsPerInch": units})
		for name, one := range map[string]struct{ file, width, height string }{
			"letter":    {paper("612", "792", 0), "612", "792"},
			"A4":        {paper("595.276", "841.89", 0), "595", "841"},
			"landscape": {paper("792", "612", 0), "792", "612"},
			"rotated":   {paper("612", "792", 90), "792", "612"},
			"upended":   {paper("612", "792", 180), "612", "792"},
		} {
			p := open(t, e2etest.Browser(t, app).SignedIn("alice@sandbox"), "/packages/new").set(alice...).choose("lease.pdf", one.file).follow("add-files")
			if !regexp.MustCompile(`data-width="` + one.width + `[.\d]*" data-height="` + one.height + `[.\d]*"`).MatchString(p.body) {
				t.Errorf("%s: the sheet is no %s × %s: %s", name, one.width, one.height, p.body)
			}
			p.set("by_hand", "yes", added+".recipient", "r1", added+".kind", "text", added+".label", "Full address", added+".document", "d2",
				added+".page", "1", added+".left", "301", added+".top", "407", added+".width", "200", added+".height", "20")
			p.press("send").Want(http.StatusSeeOther)
			sent := p.fields()[0]
			scale := units / 72
			for what, pair := range map[string][2]float64{"left": {sent.Left, 301}, "top": {sent.Top, 407}, "width": {sent.Width, 200}, "height": {sent.Height, 20}} {
				if math.Abs(pair[0]/scale-pair[1]) > 0.01 {
					t.Errorf("%s, %v units: the %s is %v, want %v points", name, units, what, pair[0], pair[1])
				}
			}
			if sent.Name != "Full address" || sent.Subtype != "TEXTFIELD" {
				t.Errorf("%s: it is sent as %+v", name, sent)
			}
		}
	}
}

// A page adds and removes fields by itself; those of a PDF stay.
func fieldsAreAddedByThePage(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set(alice...).choose("form.pdf", formPDF).follow("add-files").follow("add-field")
	const one, other, odd = "f1700000000001", "f1700000000002", "f17"
	for _, key := range []string{one, other, odd} {
		p.set(key+".recipient", "r1", key+".kind", "date", key+".label", "By "+key, key+".document", "d2", key+".page", "1", key+".left", "10", key+".top", "10")
	}
	p.set("by_hand", "yes", "removed", "f3 f4").follow("keep")
	p.has(`>By `+one+`</legend>`, `>By `+other+`</legend>`, ">Given Name</legend>")
	if strings.Contains(p.body, "By "+odd+"<") || strings.Contains(p.body, `name="f4.`) {
		t.Errorf("the fields are others: %s", p.body)
	}
	if p.set("removed", one).follow("keep").has(`>By ` + other + `</legend>`); strings.Contains(p.body, "By "+one+"<") {
		t.Errorf("the field is not removed: %s", p.body)
	}
	if hits := c.Send("GET", "/packages/new/"+url.PathEscape(p.id())+"/documents/unknown/hits?text=Lease", nil); hits.Status != http.StatusNotFound {
		t.Errorf("an unknown document is answered %d", hits.Status)
	}
}

// Where a text stands is told to people with permission to change the draft.
func hitsOfAText(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").choose("lease.pdf", document("Lease\nof a lease, the Lease")).follow("add-files")
	at := regexp.MustCompile(`/packages/([^/"]+)/documents/([^/"]+)/pages/1\.png`).FindStringSubmatch(p.body)
	if at == nil {
		t.Fatalf("no page is shown: %s", p.body)
	}
	path := "/packages/new/" + at[1] + "/documents/" + at[2] + "/hits"
	hits := c.Send("GET", path+"?text=Lease", nil).Want(http.StatusOK).Member("hits").([]any)
	if len(hits) == 0 || hits[0].(map[string]any)["page"] != 1.0 || hits[0].(map[string]any)["width"].(float64) < 10 {
		t.Errorf("the hits are %+v", hits)
	}
	if none := c.Send("GET", path+"?text=LEASE", nil).Want(http.StatusOK).Member("hits").([]any); len(none) != 0 {
		t.Errorf("in capitals the hits are %+v", none)
	}
	c.Send("GET", path, nil).Want(http.StatusBadRequest)
	c.Send("GET", path+"?text="+strings.Repeat("x", 256), nil).Want(http.StatusBadRequest)
	e2etest.Browser(t, app).SignedIn("bob@sandbox").Send("GET", path+"?text=Lease", nil).Want(http.StatusNotFound)
	e2etest.Browser(t, app).Send("GET", path+"?text=Lease", nil).Want(http.StatusUnauthorized)
}

// A field stands beside the place of a text that was chosen, and the draft says so.
func aFieldStandsBesideAHit(t *testing.T, app *e2etest.App) {
	p := open(t, e2etest.Browser(t, app).SignedIn("alice@sandbox"), "/packages/new").set(alice...).choose("lease.pdf", lines("Tenant:", "", "Tenant:")).follow("add-files").follow("add-field")
	p.set("f3.anchor", "Tenant:", "f3.hit", "2", "f3.place", "above", "f3.down", "-5").follow("save")
	second := p.fields()[0]
	if second.Anchor.Index != 1 || second.Anchor.TopOffset != -55 || second.Anchor.LeftOffset != 0 {
		t.Errorf("it is sent by %+v", second.Anchor)
	}
	p.set("f3.hit", "1", "f3.place", "right", "f3.down", "0", "f3.right", "4").follow("save")
	first := p.fields()[0]
	if first.Anchor.Index != 0 || first.Anchor.LeftOffset < 30 || first.Anchor.TopOffset != 0 || first.Top >= second.Top+55 {
		t.Errorf("it is sent by %+v at %+v", first.Anchor, first)
	}
	p.set("f3.hit", "3")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`id="f3.anchor-wrong"`)
}
