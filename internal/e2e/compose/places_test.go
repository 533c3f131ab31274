package compose_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A page adds and removes fields by itself; those of a PDF stay.
func fieldsAreAddedByThePage(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set(firstIsAlice...).choose("form.pdf", formPDF).follow("add-files").follow("add-field")
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
	p := open(t, e2etest.Browser(t, app).SignedIn("alice@sandbox"), "/packages/new").set(firstIsAlice...).choose("lease.pdf", lines("Tenant:", "", "Tenant:")).follow("add-files").follow("add-field")
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
