package reference

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/web/openapi"
)

var update = flag.Bool("update", false, "write examples/bruno")

const collection = "../../examples/bruno"

// The Bruno collection has each example of each operation, as the document has it.
func TestBruno_EachExample(t *testing.T) {
	document, err := openapi.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var s source
	if err := json.Unmarshal(document, &s); err != nil {
		t.Fatal(err)
	}
	want, err := s.bruno()
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range s.Tags {
		if *update {
			if err := os.RemoveAll(filepath.Join(collection, tag.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, content := range want {
		path := filepath.Join(collection, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, []byte(content)) {
			t.Errorf("%s is not as the document has it (%v): go test ./web/reference -run TestBruno_EachExample -update", name, err)
		}
	}
	there, err := filepath.Glob(filepath.Join(collection, "*", "*.bru"))
	if err != nil || len(there) != len(want)+1 { // and the environment
		t.Errorf("%d files, want %d and an environment (%v)", len(there), len(want), err)
	}
}

// first is the request that gets the token of all others.
const first = "login password"

// bruno returns the files of a Bruno collection, one for each example of an operation, by name.
func (s *source) bruno() (map[string]string, error) {
	files := map[string]string{}
	for number, tag := range s.Tags {
		files[tag.Name+"/folder.bru"] = fmt.Sprintf("meta {\n  name: %s\n  seq: %d\n}\n", tag.Name, number+1)
	}
	for _, path := range slices.Sorted(maps.Keys(s.Paths)) {
		for _, method := range methods {
			read, err := s.read(path, method)
			if err != nil {
				return nil, err
			}
			if read.OperationID == "" || strings.HasSuffix(read.OperationID, alias) {
				continue
			}
			for _, body := range bodiesToSend(read) {
				name, title := read.OperationID, read.Summary
				if body.name != "" {
					name, title = name+" "+strings.NewReplacer(",", "", "/", " ").Replace(body.name), title+" - "+body.name
				}
				number := 2 // Bruno sorts those of one number by their names
				if name == first {
					number = 1
				}
				if files[read.Tags[0]+"/"+name+".bru"], err = s.request(path, method, read, body, title, number); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
			}
		}
	}
	return files, nil
}

// toSend is a body to send; media is "" for none.
type toSend struct {
	name, media string
	example
}

// bodiesToSend returns the examples of an operation's bodies, or one without a body. Of several
// media types the first is the usual one.
func bodiesToSend(read operation) (all []toSend) {
	for i, body := range read.RequestBody.Content {
		for _, one := range body.value.examplesOf() {
			name := one.name
			if i > 0 && name == "" {
				name = body.name
			}
			all = append(all, toSend{name, body.name, one.value})
		}
	}
	if all == nil {
		return []toSend{{}}
	}
	return all
}

// kept are scripts that keep what later requests need, by operation.
var kept = map[string]string{
	"login":             "if (res.body.sessionToken) bru.setVar(\"token\", res.body.sessionToken);",
	"createPackage":     "if (res.status === 200) bru.setVar(\"package\", res.body.id);",
	"createTransaction": "if (res.status === 200) bru.setVar(\"transaction\", res.body.id);",
}

// request returns the file of a request.
func (s *source) request(path, method string, read operation, body toSend, title string, number int) (string, error) {
	var out strings.Builder
	block := func(name string, lines ...string) {
		if len(lines) > 0 {
			text := strings.Join(lines, "\n")
			fmt.Fprintf(&out, "%s {\n  %s\n}\n\n", name, strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n  "), "\n  \n", "\n\n"))
		}
	}
	block("meta", "name: "+title, "type: http", fmt.Sprintf("seq: %d", number))
	kind := "none"
	switch {
	case body.media == "multipart/form-data":
		kind = "multipartForm"
	case body.media != "":
		kind = "json"
	}
	auth := "inherit"
	if signInID(read.Security) != required {
		auth = "none"
	}
	parameters := s.parameters(read.Parameters)
	block(method, "url: "+brunoURL(path, parameters), "body: "+kind, "auth: "+auth)
	for _, in := range []string{"query", "path"} {
		block("params:"+in, brunoParameters(parameters, in)...)
	}
	headers := brunoParameters(parameters, "header")
	if i := slices.Index(headers, "~Countersign-Session: "); i >= 0 {
		headers[i] = "Countersign-Session: bearer" // the token is what the collection goes on with
	}
	block("headers", headers...)
	switch kind {
	case "json":
		text, err := indented(body.Value)
		if err != nil {
			return "", err
		}
		block("body:json", text)
	case "multipartForm":
		parts, err := brunoParts(body)
		if err != nil {
			return "", err
		}
		block("body:multipart-form", parts...)
	}
	if script := kept[read.OperationID]; script != "" {
		block("script:post-response", script)
	}
	if read.Description != "" {
		block("docs", read.Description)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// brunoURL returns the address, with the query that must be.
func brunoURL(path string, parameters []parameter) string {
	address, separator := "{{origin}}"+placeholder.ReplaceAllString(path, ":$1"), "?"
	for _, one := range parameters {
		if one.In == "query" && one.Required {
			address += separator + one.Name + "={{" + one.Name + "}}"
			separator = "&"
		}
	}
	return address
}

// brunoParameters returns the parameters of a place: by their example, or by a variable; those
// that may be left out are off.
func brunoParameters(parameters []parameter, in string) (lines []string) {
	for _, one := range parameters {
		var text string
		switch {
		case one.In != in:
			continue
		case !one.Required:
			lines = append(lines, "~"+one.Name+": ")
		case json.Unmarshal(one.Example, &text) == nil && text != "":
			lines = append(lines, one.Name+": "+text)
		default:
			lines = append(lines, one.Name+": {{"+one.Name+"}}")
		}
	}
	return lines
}

// brunoParts returns the parts of a form with files.
func brunoParts(body toSend) (lines []string, err error) {
	var parts orderedObject[any]
	err = json.Unmarshal(body.Value, &parts)
	for _, part := range parts {
		switch value := part.value.(type) {
		case string:
			lines = append(lines, part.name+": "+value)
		case []any:
			lines = append(lines, fmt.Sprintf("%s: @file(%v)", part.name, value[0]))
		}
	}
	return lines, err
}
