package compose_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A text that is too long gets an error beside its input and is kept; a draft's existing
// long texts may stay.
func longEntriesAreRefused(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	long := func(letters int) string { return strings.Repeat("x", letters) }
	p := open(t, c, "/packages/new").set(alice...).choose("lease.pdf", document("Lease")).follow("add-files").follow("add-field")
	p.set("name", long(256), "r1.first_name", long(256), "f3.kind", "list", "f3.options", "a\n"+long(64<<10+1))
	for _, button := range []string{"save", "send"} {
		p.take(p.press(button).Want(http.StatusBadRequest))
		if found := wrong.FindAllString(p.body, -1); !slices.Equal(found, []string{`id="name-wrong"`, `id="r1.first_name-wrong"`, `id="f3.options-wrong"`}) {
			t.Errorf("wrong are %q", found)
		}
	}
	open(t, c, p.path).has(`value="`+long(256)+`"`, long(64<<10+1))
	p.set("name", long(255), "r1.first_name", long(255), "f3.options", "a\nb").follow("save")

	made := `{"name":"` + long(300) + `","data":{"countersign":{"owner":"alice@sandbox"}},"roles":[{"id":"r","signers":[{"email":"bob@sandbox.example","firstName":"` + long(300) + `","lastName":"B"}]}]}`
	id := url.PathEscape(e2etest.AtPlatform(t, app, "POST", "/api/packages", made).Text("id"))
	p = open(t, c, "/packages/new/"+id).set("r1.last_name", "Builder").follow("save").has(`value="Builder"`)
	p.set("r1.first_name", long(301)).take(p.press("save").Want(http.StatusBadRequest))
	p.has(`id="r1.first_name-wrong"`)
	corrected := []string{"r1.first_name", long(300), "r1.last_name", "Baker", "r1.email", "ｂａｋｅｒ＠sandbox\u3002example", "r1.by_email", "yes"}
	c.Post("/packages/"+id+"/recipients/r", corrected...).Want(http.StatusSeeOther)
	corrected[1] = long(299)
	c.Post("/packages/"+id+"/recipients/r", corrected...).Want(http.StatusBadRequest)
	if read := string(c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body); !strings.Contains(read, `"email":"baker@sandbox.example"`) {
		t.Errorf("the recipient is %s", read)
	}
}
