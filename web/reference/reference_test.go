package reference

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made returns the only operation of a document with one path.
func made(t *testing.T, item string) entry {
	t.Helper()
	page, err := New([]byte(`{"info":{},"servers":[{"url":"https://a.example"}],"tags":[{"name":"t"}],
		"components":{"parameters":{"user":{"name":"user","in":"path","required":true,"example":"al@sandbox","schema":{"type":"string"}}}},
		"paths":{"/a/{user}/b/{partID}":` + item + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return page.Groups[0].Operations[0]
}

// words returns the words of a command, as a shell reads them.
func words(t *testing.T, command string) []string {
	t.Helper()
	script := "TOKEN='to ken'\nPART_ID=7\nKEY=k\ncurl() { for word; do printf '%s\\0' \"$word\"; done; }\n" + command
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// A command can be pasted into a shell: it sends the example as it is in the document.
func TestCommand_PastedIntoShell(t *testing.T) {
	const parameters = `"tags":["t"],"parameters":[{"$ref":"#/components/parameters/user"},{"name":"partID","in":"path"}`
	for name, c := range map[string]struct {
		item string
		want []string
	}{
		"read": {`{"get":{` + parameters + `],"security":[{"bearer":[]}],"responses":{}}}`,
			[]string{"https://a.example/a/al@sandbox/b/7", "-H", "Authorization: Bearer to ken"}},
		"signed out, with a token to come": {`{"post":{` + parameters + `,{"name":"Countersign-Session","in":"header"}],"security":[{},{"bearer":[]}],"responses":{}}}`,
			[]string{"-X", "POST", "https://a.example/a/al@sandbox/b/7", "-H", "Countersign-Session: bearer"}},
		"a query that must be": {`{"delete":{` + parameters + `,{"name":"key","in":"query","required":true},{"name":"no","in":"query"}],"responses":{}}}`,
			[]string{"-X", "DELETE", "https://a.example/a/al@sandbox/b/7?key=k"}},
		"a body with quotes": {`{"put":{` + parameters + `],"requestBody":{"content":{"application/json":{"example":{"a":"it's \"$HOME\" \\ ` + "`x`" + `"}}}},"responses":{}}}`,
			[]string{"-X", "PUT", "https://a.example/a/al@sandbox/b/7", "--json", "{\n  \"a\": \"it's \\\"$HOME\\\" \\\\ `x`\"\n}"}},
		"parts": {`{"post":{` + parameters + `],"requestBody":{"content":{"multipart/form-data":{"example":{"payload":"{\"a\": 1}","file":["x y.pdf","z.pdf"]}}}},"responses":{}}}`,
			[]string{"https://a.example/a/al@sandbox/b/7", "-F", `payload={"a": 1}`, "-F", "file=@x y.pdf", "-F", "file=@z.pdf"}},
		"a file": {`{"get":{` + parameters + `],"responses":{"200":{"content":{"application/octet-stream":{},"application/pdf":{}}}}}}`,
			[]string{"https://a.example/a/al@sandbox/b/7", "-o", "answer.pdf"}},
	} {
		o := made(t, c.item)
		if len(o.Calls) != 1 {
			t.Fatalf("%s: %v", name, o.Calls)
		}
		if diff := cmp.Diff(c.want, words(t, o.Calls[0].Text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSchemas_ShownInPlace(t *testing.T) {
	o := made(t, `{"post":{"tags":["t"],"requestBody":{"content":{"application/json":{"schema":{"type":["object","null"],"required":["b","z"],"properties":{
		"b":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"c":{"enum":["x",null]}}}},"a":{"$ref":"#/components/schemas/A","description":"It."}},
		"additionalProperties":{"type":"string"},"oneOf":[{"$ref":"#/components/schemas/B"},{"const":1}]}}}},"responses":{}}}`)
	want := []row{
		{Type: "object or null", Rules: []string{"required: z"}},
		{Name: "b", Required: true, Type: "array", Rules: []string{"maxItems: 3"}}, {Name: "b[]", Type: "object"}, {Name: "b[].c", Values: []string{`"x"`, "null"}},
		{Name: "a", Ref: "A", About: "It."}, {Name: "*", Type: "string"}, {Part: "one of", Ref: "B"}, {Part: "one of", Rules: []string{"const: 1"}},
	}
	if diff := cmp.Diff(want, o.Bodies[0].Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Errors are read from the responses' schemas; those that all operations have are said once.
func TestErrors_FromSchemas(t *testing.T) {
	refusal := func(key string) string {
		return `{"description":"No.","content":{"application/problem+json":{"schema":{"allOf":[{},{"properties":{"key":` + key + `}}]}}}}`
	}
	all := refusal(`{"enum":["a.b"]}`)
	page, err := New([]byte(`{"tags":[{"name":"t"}],"paths":{"/a":{
		"get":{"operationId":"one","tags":["t"],"responses":{"200":{},"400":` + all + `,"409":` + refusal(`{"anyOf":[{"enum":["c.d"]},{"$ref":"#/x/K"}]}`) + `}},
		"put":{"operationId":"two","tags":["t"],"responses":{"400":` + all + `,"409":` + refusal(`{"$ref":"#/x/K"}`) + `}}},
		"/b":{"put":{"operationId":"twoAlias","tags":["t"],"responses":{}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	type failures = []failure
	if diff := cmp.Diff(failures{{Status: "400", About: "No.", Keys: []string{"a.b"}}}, page.Always); diff != "" {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
	for i, want := range []failures{{{Status: "409", About: "No.", Keys: []string{"c.d"}, Schemas: []string{"K"}}}, {{Status: "409", About: "No.", Schemas: []string{"K"}}}} {
		if diff := cmp.Diff(want, page.Groups[0].Operations[i].Failures); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if also := page.Groups[0].Operations[1].Also; also != "/b" || len(page.Groups[0].Operations) != 2 {
		t.Errorf("the second path is %q", also)
	}
}

func TestNew_UnreadableDocument(t *testing.T) {
	for _, document := range []string{``, `[]`, `{"paths":{"/a":{"get":[]}}}`, `{"paths":{"/a":{"get":{},"parameters":1}}}`,
		`{"tags":[{"name":"t"}],"paths":{"/a":{"post":{"tags":["t"],"requestBody":{"content":{"multipart/form-data":{"example":3}}}}}}}`} {
		if _, err := New([]byte(document)); err == nil {
			t.Errorf("%s is read", document)
		}
	}
}
