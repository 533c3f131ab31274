package openapi

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/getkin/kin-openapi/openapi3"

	"countersign/web/openapitest"
)

func documentFor(t *testing.T, origin, cookie string) []byte {
	t.Helper()
	document, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return document.For(origin, cookie)
}

func TestDocument_NamesInstallation(t *testing.T) {
	for origin, cookie := range map[string]string{
		"http://localhost:8080": "countersign", "https://sign.example.org": "__Host-Http-countersign",
	} {
		document := documentFor(t, origin, cookie)
		if bytes.Contains(document, []byte(ExampleOrigin)) {
			t.Errorf("%s: it speaks of an installation that is nowhere", origin)
		}
		doc, err := openapi3.NewLoader().LoadFromData(document)
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Servers[0].URL; got != origin {
			t.Errorf("server %s", got)
		}
		if got := doc.Components.SecuritySchemes["cookie"].Value.Name; got != cookie {
			t.Errorf("cookie %s", got)
		}
	}
}

func TestDocument_Valid(t *testing.T) {
	document := documentFor(t, ExampleOrigin, "__Host-Http-countersign")
	if err := openapitest.Validate(document); err != nil {
		t.Error(err)
	}
}

// A write below /api with a body of another media type is refused, one that needs none too.
func TestDocument_UnsupportedMediaType(t *testing.T) {
	document := documentFor(t, ExampleOrigin, "countersign")
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if strings.HasPrefix(path, "/api/") && method != http.MethodGet && operation.Responses.Status(http.StatusUnsupportedMediaType) == nil {
				t.Errorf("%s %s: 415 is missing", method, path)
			}
		}
	}
}

func TestDocument_Deterministic(t *testing.T) {
	first, err := assemble(files, nil)
	for range 10 {
		again, _ := assemble(files, nil)
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("it is another document (%v)", err)
		}
	}
}

// assembled assembles parts with a frame that has one of each component.
func assembled(frame string, parts ...string) (string, error) {
	files := fstest.MapFS{"frame.json": {Data: []byte(frame)}}
	for i, part := range parts {
		files[string(rune('a'+i))+".json"] = &fstest.MapFile{Data: []byte(part)}
	}
	whole, err := assemble(files, nil)
	return strings.Join(strings.Fields(string(whole)), ""), err
}

const small = `{"openapi":"3.1.0","info":{},"servers":[],"tags":[],"x-elsewhere":{},"components":{"schemas":{"A":{}}}}`

func TestAssemble_Order(t *testing.T) {
	want := `{"openapi":"3.1.0","info":{},"servers":[],"tags":[],"x-elsewhere":{},"paths":{"/a":{},"/b":{}},` +
		`"components":{"responses":{"A":{}},"schemas":{"A":{},"B":{}}}}`
	a, b := `{"paths":{"/a":{}},"components":{"schemas":{"B":{}}}}`, `{"paths":{"/b":{}},"components":{"responses":{"A":{}}}}`
	for _, parts := range [][]string{{a, b}, {b, a}, {a, `{}`, b}} {
		if got, err := assembled(small, parts...); got != want || err != nil {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
}

// What a file says once about its errors is said at each operation.
func TestAssemble_Errors(t *testing.T) {
	frame := strings.Replace(small, `"components"`, `"errors":{"answers":{"Rate":{"description":"Later.","keys":["request.rate"]}}},"components"`, 1)
	got, err := assembled(frame, `{"errors":{"prefix":"My","problem":"P","always":["Rate"],"change":["Lost"],"answers":{"Lost":{"description":"Lost.","keys":["#K"],"status":409}}},`+
		`"paths":{"/a":{"get":{"security":[{"cookie":[]}],"errors":["Lost"],"responses":{"200":{}}},"post":{"security":[],"responses":{"303":{"$ref":"x"}}}}}}`)
	if err == nil || !strings.Contains(err.Error(), `unknown error "SignedOut"`) {
		t.Errorf("got %s (%v)", got, err)
	}
	got, err = assembled(frame, `{"errors":{"prefix":"My","problem":"P","always":["Rate"],"change":["Lost"],"answers":{"Lost":{"description":"Lost.","keys":["#K"],"status":409}}},`+
		`"paths":{"/a":{"post":{"responses":{"303":{"$ref":"x"}}}}}}`)
	for _, want := range []string{
		`"/a":{"post":{"responses":{"303":{"$ref":"x"},"409":{"$ref":"#/components/responses/MyLost"},"429":{"$ref":"#/components/responses/MyRate"}}}}`,
		`"MyLost":{"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/P"},{"properties":{"key":{"$ref":"#/components/schemas/K"},"status":{"const":409}}}]}},"text/html":{}},"description":"Lost."`,
		`"Retry-After":{"$ref":"#/components/headers/Retry-After"}`,
	} {
		if !strings.Contains(got, want) || err != nil {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
}

// A JSON response without an example shows the one of its schema, its operation or its component.
func TestAssemble_Examples(t *testing.T) {
	frame := strings.Replace(small, `"A":{}}`, `"A":{}},"responses":{"Done":{"content":{"application/json":{}}}},"examples":{"A":{"value":1},"getB":{"value":2},"Done":{"value":3}}`, 1)
	const body = `"content":{"application/json":{`
	got, err := assembled(frame, `{"errors":{},"paths":{"/a":{"get":{"operationId":"getA","responses":{"200":{`+body+`"schema":{"$ref":"#/components/schemas/A"}}}}}}},`+
		`"/b":{"get":{"operationId":"getB","responses":{"200":{`+body+`"schema":{}}}},"201":{`+body+`"example":4}}}}}}}}`)
	for _, want := range []string{
		body + `"examples":{"recorded":{"$ref":"#/components/examples/A"}},"schema":{"$ref":"#/components/schemas/A"}}`,
		body + `"examples":{"recorded":{"$ref":"#/components/examples/getB"}},"schema":{}}`, body + `"example":4}`,
		`"Done":{` + body + `"examples":{"recorded":{"$ref":"#/components/examples/Done"}}}}`,
	} {
		if !strings.Contains(got, want) || err != nil {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
}

func TestAssemble_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		parts []string
		want  string
	}{
		"no JSON":                           {small, []string{`{`}, "a.json"},
		"a path in two files":               {small, []string{`{"paths":{"/a":{}}}`, `{"paths":{"/b":{},"/a":{}}}`}, "b.json: /a"},
		"a path twice in a file":            {small, []string{`{"paths":{"/a":{},"/a":{}}}`}, "a.json"},
		"a component in two files":          {small, []string{`{"components":{"headers":{"X":{}}}}`, `{}`, `{"components":{"headers":{"X":{}}}}`}, "c.json: headers: X"},
		"a component of the frame's":        {small, []string{`{"components":{"schemas":{"A":{}}}}`}, "a.json: schemas: A"},
		"a part with a title of its own":    {small, []string{`{"info":{}}`}, "a.json"},
		"a frame with an unknown member":    {strings.Replace(small, "info", "infos", 1), nil, "frame.json"},
		"an error that is not there":        {small, []string{`{"errors":{"always":["Lost"]},"paths":{"/a":{"get":{"responses":{}}}}}`}, `a.json: get /a: unknown error "Lost"`},
		"an operation without an answer":    {small, []string{`{"paths":{"/a":{"get":{}}}}`}, "a.json: get /a: the response is missing"},
		"a frame that says something twice": {strings.Replace(small, "info", "tags", 1), nil, "frame.json"},
	} {
		if got, err := assembled(c.frame, c.parts...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s (%v), want %q", name, got, err, c.want)
		}
	}
	if _, err := assemble(fstest.MapFS{"a.json": {Data: []byte(`{}`)}}, nil); err == nil {
		t.Error("there is no frame")
	}
}
