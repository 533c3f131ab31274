package openapitest_test

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/web/openapitest"
)

// exchange is a request, its answer, and a part of the checker's expected report, or ""
// if the exchange is valid.
type exchange struct {
	name         string
	method, path string // GET / if empty
	header       http.Header
	sent         string
	status       int
	answered     http.Header
	content      string
	says         string
}

// document has an operation of each kind that the checker treats specially.
//
//go:embed testdata/document.json
var document string

const problemJSON = "application/problem+json"

func TestChecker_ComparesResponses(t *testing.T) {
	json := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}}
	problem := http.Header{"Content-Type": {problemJSON}}
	reader := http.Header{"Cookie": {"reader=x"}}
	crossSite := http.Header{"Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Site": {"cross-site"}}
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Cache-Control": {"no-store"}}
	for _, e := range []exchange{
		{name: "right", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "Emma", "pages": 474}`},
		{name: "right, escaped", path: "/books/a%40b%20c", header: reader, status: 200, answered: json, content: `{"title": "E", "pages": null}`},
		{name: "member missing", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "Emma"}`, says: "pages"},
		{name: "member too many", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "Emma", "pages": 1, "shelf": 2}`, says: "shelf"},
		{name: "behind a reference", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "", "pages": 1}`, says: "minLength"},
		{name: "conditional", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "E", "pages": 1, "kind": "scroll"}`, says: "/pages"},
		{name: "no JSON", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "Emma", "pages": 1`, says: "not JSON"},
		{name: "a member twice", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "E", "pages": 1, "pages": 1}`, says: "twice"},
		{name: "more behind the end", path: "/books/emma", header: reader, status: 200, answered: json, content: `{"title": "E", "pages": 1} {}`, says: "not JSON"},
		{name: "nothing", path: "/books/emma", header: reader, status: 200, answered: json, says: "no body"},
		{name: "another content type", path: "/books/emma", header: reader, status: 200, answered: http.Header{"Content-Type": {"text/plain"}, "Cache-Control": {"no-store"}}, content: "Emma", says: "text/plain"},
		{name: "header missing", path: "/books/emma", header: reader, status: 200, answered: http.Header{"Content-Type": {"application/json"}}, content: `{"title": "E", "pages": 1}`, says: `"Cache-Control" missing`},
		{name: "header wrong", path: "/books/emma", header: reader, status: 200, answered: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"public"}}, content: `{"title": "E", "pages": 1}`, says: "no-store"},
		{name: "status not told", path: "/books/emma", header: reader, status: 418, says: "operation getBook does not tell of this status"},

		{name: "redirect", path: "/books/emma", status: 303, answered: page, content: "there"},
		{name: "redirect without a body", path: "/books/emma", status: 303},
		{name: "no body and none told", method: "PUT", path: "/books/emma", header: ofType("application/json"), sent: `{"title": "E", "pages": 1}`, status: 204},

		{name: "a body or none: none", method: "PUT", path: "/books/emma", header: ofType("application/json"), sent: `{"title": "E", "pages": 1}`, status: 200},
		{name: "a body or none: one", method: "PUT", path: "/books/emma", header: ofType("application/json"), sent: `{"title": "E", "pages": 1}`, status: 200, answered: ofType("application/json"), content: `{}`},
		{name: "a body or none: a broken one", method: "PUT", path: "/books/emma", header: ofType("application/json"), sent: `{"title": "E", "pages": 1}`, status: 200, answered: ofType("application/json"), content: `{`, says: "not JSON"},

		{name: "HEAD", method: "HEAD", path: "/books/emma", header: reader, status: 200, answered: json},
		{name: "HEAD of another content type", method: "HEAD", path: "/books/emma", header: reader, status: 200, answered: http.Header{"Content-Type": {"text/csv"}, "Cache-Control": {"no-store"}}, says: "text/csv"},
		{name: "HEAD without its header", method: "HEAD", path: "/books/emma", header: reader, status: 200, answered: http.Header{"Content-Type": {"application/json"}}, says: "Cache-Control"},

		{name: "problem", path: "/books/emma", status: 404, answered: problem, content: `{"key": "gone"}`},
		{name: "problem that ends too early", path: "/books/emma", status: 404, answered: problem, content: `{"key": "gone"`, says: "not JSON"},
		{name: "problem with another key", path: "/books/emma", status: 404, answered: problem, content: `{"key": "lost"}`, says: "/key"},
		{name: "problem with a member too many", path: "/books/emma", status: 404, answered: problem, content: `{"key": "gone", "cause": "x"}`, says: "cause"},
		{name: "Retry-After is no number", method: "PUT", path: "/books/emma", status: 429, answered: http.Header{"Content-Type": {problemJSON}, "Retry-After": {"soon"}}, content: `{"key": "x"}`, says: "Retry-After"},
		{name: "Retry-After is zero", method: "PUT", path: "/books/emma", status: 429, answered: http.Header{"Content-Type": {problemJSON}, "Retry-After": {"0"}}, content: `{"key": "x"}`, says: "minimum"},

		{name: "bearer", path: "/books/emma", header: http.Header{"Authorization": {"Bearer x"}}, status: 200, answered: json, content: `{"title": "E", "pages": 1}`},
		{name: "nobody was let in", path: "/books/emma", status: 200, answered: json, content: `{"title": "E", "pages": 1}`, says: "no cookie reader"},
		{name: "another scheme was let in", path: "/books/emma", header: http.Header{"Authorization": {"Basic x"}}, status: 200, answered: json, content: `{"title": "E", "pages": 1}`, says: "scheme bearer"},
		{name: "led back", path: "/books/emma", header: crossSite, status: 200, answered: page, content: "<!doctype html>"},
		{name: "a page instead of JSON", path: "/books/emma", header: reader, status: 200, answered: page, content: "<!doctype html>", says: "a page where there is to be JSON"},

		{name: "body not allowed, and refused", method: "PUT", path: "/books/emma", header: ofType("application/json"), sent: `{}`, status: 400, answered: problem, content: `{"key": "gone"}`},
		{name: "body not allowed, and taken", method: "PUT", path: "/books/emma", header: ofType("application/json"), sent: `{"title": 1, "pages": 1}`, status: 204, says: "it succeeded, but the request"},
		{name: "content type not allowed, and taken", method: "PUT", path: "/books/emma", header: ofType("text/plain"), sent: `{"title": "E", "pages": 1}`, status: 204, says: "text/plain"},
		{name: "no body, and taken", method: "PUT", path: "/books/emma", status: 204, says: "required"},
		{name: "query not allowed, and taken", method: "PUT", path: "/books/emma?mode=final", header: ofType("application/json"), sent: `{"title": "E", "pages": 1}`, status: 204, says: "mode"},
		{name: "path not allowed, and taken", path: "/books/EMMA", header: reader, status: 200, answered: json, content: `{"title": "E", "pages": 1}`, says: `parameter "id"`},

		{name: "elsewhere", path: "/shelves", status: 404, answered: problem, content: `{"key": "gone"}`},
		{name: "elsewhere, with another status", path: "/shelves", status: 200, answered: json, content: `{}`, says: "operation elsewhere does not tell"},
		{name: "another method is elsewhere", method: "POST", path: "/books/emma", status: 404, answered: problem, content: `{"key": "lost"}`, says: "/key"},
		{name: "the root without its slash", path: "", status: 200, answered: ofType("text/plain"), content: "books"},
	} {
		t.Run(e.name, func(t *testing.T) {
			said := e.run(t, newChecker(t))
			switch {
			case e.says == "" && len(said) > 0:
				t.Errorf("said %q of what is right", said)
			case e.says != "" && (len(said) == 0 || !strings.Contains(strings.Join(said, "\n"), e.says)):
				t.Errorf("said %q, and not %q", said, e.says)
			}
		})
	}
}

// run carries the exchange out with a real server and returns the reports.
func (e exchange) run(t *testing.T, c *openapitest.Checker) []string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), e.answered)
		w.WriteHeader(e.status)
		_, _ = io.WriteString(w, e.content)
	}))
	defer server.Close()
	var said notes
	client := c.Client(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, said.take)
	r, err := http.NewRequestWithContext(t.Context(), e.method, server.URL+e.path, strings.NewReader(e.sent))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, e.header)
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); err != nil || e.method != "HEAD" && string(got) != e.content {
		t.Errorf("the client was handed %q, %v, not %q", got, err, e.content)
	}
	return said.all()
}

func TestChecker_Unmet(t *testing.T) {
	c := newChecker(t)
	if met := len(told) - len(c.Unmet()); met != 0 {
		t.Errorf("%d answers met before any was given", met)
	}
	gone := http.Header{"Content-Type": {problemJSON}}
	for _, e := range []exchange{
		{path: "/books/emma", status: 404, answered: gone, content: `{"key": "gone"}`},
		{method: "HEAD", path: "/", status: 200, answered: ofType("text/plain")},
		{path: "/shelves", status: 404, answered: gone, content: `{"key": "gone"}`},
		{method: "PUT", path: "/books/emma", status: 503},
	} {
		e.run(t, c)
	}
	want := []string{"getBook 200", "getBook 303", "putBook 200", "putBook 204", "putBook 400", "putBook 429"}
	if diff := cmp.Diff(want, texts(c.Unmet())); diff != "" {
		t.Errorf("unmet (-want +got):\n%s", diff)
	}
}

// told are all answers that document documents.
var told = []string{
	"elsewhere 404", "getBook 200", "getBook 303", "getBook 404", "home 200", "putBook 200", "putBook 204", "putBook 400", "putBook 429",
}

func TestValidate_InvalidDocuments(t *testing.T) {
	if err := openapitest.Validate([]byte(document)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"not JSON":                   {`"openapi"`, `openapi`},
		"the same twice":             {`"version": "1"`, `"version": "1", "version": "2"`},
		"no title":                   {`"title": "A shelf of books", `, ``},
		"a false example":            {`{"title": "Emma", "pages": null}`, `{"title": "Emma", "pages": "many"}`},
		"a reference to nothing":     {`"#/components/schemas/Text"`, `"#/components/schemas/Word"`},
		"an elsewhere of nothing":    {`"x-elsewhere": {"responses": {"404": {"$ref": "#/components/responses/Gone"`, `"x-elsewhere": {"responses": {"404": {"$ref": "#/components/responses/Lost"`},
		"an elsewhere of a schema":   {`"x-elsewhere": {"responses": {"404": {"$ref": "#/components/responses/Gone"`, `"x-elsewhere": {"responses": {"404": {"$ref": "#/components/schemas/Text"`},
		"one operationId for two":    {`"operationId": "putBook"`, `"operationId": "getBook"`},
		"a path without a parameter": {`"name": "id", "in": "path", "required": true`, `"name": "id", "in": "query"`},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(document, change[0], change[1], 1)
			if broken == document {
				t.Fatalf("the document has no %q to break", change[0])
			}
			if openapitest.Validate([]byte(broken)) == nil {
				t.Error("it was taken")
			}
		})
	}
}

func TestChecker_DocumentWithoutElsewhere(t *testing.T) {
	without := strings.Replace(document, `"x-elsewhere"`, `"x-other"`, 1)
	c, err := openapitest.New([]byte(without))
	if err != nil {
		t.Fatal(err)
	}
	said := exchange{path: "/shelves", status: 404}.run(t, c)
	if len(said) != 1 || !strings.Contains(said[0], "does not tell of this status") {
		t.Errorf("said %q", said)
	}
}

func TestChecker_ManyClients(t *testing.T) {
	c := newChecker(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			e := exchange{path: "/books/emma", status: 404, answered: ofType(problemJSON), content: `{"key": "gone"}`}
			if i%2 == 1 {
				e.content = `{"key": "lost"}`
			}
			if said := e.run(t, c); len(said) != i%2 {
				t.Errorf("client %d: %q", i, said)
			}
		})
	}
	all.Wait()
}

func newChecker(t *testing.T) *openapitest.Checker {
	t.Helper()
	c, err := openapitest.New([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ofType returns a header with a body's content type.
func ofType(contentType string) http.Header { return http.Header{"Content-Type": {contentType}} }

func texts(answers []openapitest.Answer) []string {
	var all []string
	for _, a := range answers {
		all = append(all, a.String())
	}
	return all
}

// notes collects a checker's reports.
type notes struct {
	mu   sync.Mutex
	said []string
}

func (n *notes) take(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.said
}
