// Package openapi has the OpenAPI 3.1 document of all routes, a file per API. It is written by
// hand, except for the error keys, which come from the catalogue, and recorded examples. The tests of package web
// compare it with the routes, and every answer with it.
package openapi

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

//go:embed *.json
var files embed.FS

// frame is the name of the file that holds everything except the paths of the APIs.
const frame = "frame.json"

// Placeholders in the files for values of the installation: the origin, in the server's
// address and in examples, and the session cookie of https.
const (
	// ExampleOrigin is the origin of examples, which For replaces.
	ExampleOrigin = `https://countersign.example`
	exampleCookie = `"name": "__Host-Http-countersign"`
)

// part is the content of an API's file.
type part struct {
	Errors     family                               `json:"errors,omitzero"`
	Paths      map[string]jsontext.Value            `json:"paths"`
	Components map[string]map[string]jsontext.Value `json:"components"`
}

type document struct {
	OpenAPI   jsontext.Value   `json:"openapi"`
	Info      jsontext.Value   `json:"info"`
	Servers   jsontext.Value   `json:"servers"`
	Tags      []jsontext.Value `json:"tags"`
	Elsewhere jsontext.Value   `json:"x-elsewhere"`
	part
}

// Document is what all installations have in common.
type Document []byte

// New puts the files together. A path or component in two files is an error.
func New(example Example) (Document, error) {
	keys, err := errorKeys()
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	whole, err := assemble(files, example, keys)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return whole, nil
}

// For returns the document of the installation at origin, whose session cookie is called cookie.
// Neither of the two needs escaping in JSON: an origin is a scheme, a host and a port, and the
// cookie's name is ours.
func (d Document) For(origin, cookie string) []byte {
	// Neither of the two is in the other.
	here := bytes.ReplaceAll(d, []byte(ExampleOrigin), []byte(origin))
	return bytes.ReplaceAll(here, []byte(exampleCookie), []byte(`"name": "`+cookie+`"`))
}

// errorKeys returns the part made from the catalogue of errors: the schema of the keys.
func errorKeys() (part, error) {
	schema := struct {
		Description string      `json:"description"`
		Type        string      `json:"type"`
		Enum        []fault.Key `json:"enum"`
	}{Description: "The stable name of an error, and the last part of the address of the page that explains it.", Type: "string"}
	for _, row := range fault.Rows() {
		schema.Enum = append(schema.Enum, row.Key)
	}
	content, err := json.Marshal(schema)
	return part{Components: map[string]map[string]jsontext.Value{"schemas": {"ErrorKey": content}}}, err
}

// assemble puts the files and the other parts together.
func assemble(files fs.FS, example Example, others ...part) ([]byte, error) {
	whole := document{part: part{Paths: map[string]jsontext.Value{}, Components: map[string]map[string]jsontext.Value{}}}
	if err := read(files, frame, &whole); err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == frame {
			continue
		}
		var one part
		if err := read(files, name, &one); err != nil {
			return nil, err
		}
		if err := one.addErrors(whole.Errors, example); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		one.addProven()
		if err := one.addFamily("/api/transaction", "/api/transactions"); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := whole.add(one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, other := range others {
		if err := whole.add(other); err != nil {
			return nil, err
		}
	}
	if err := whole.addExamples(); err != nil {
		return nil, err
	}
	if err := whole.addElsewhere(); err != nil {
		return nil, fmt.Errorf("%s: x-elsewhere: %w", frame, err)
	}
	whole.Errors = family{}
	return json.Marshal(whole, json.Deterministic(true), jsontext.WithIndent("  "))
}

func read(files fs.FS, name string, v any) error {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (p *part) add(other part) error {
	if err := merge(p.Paths, other.Paths); err != nil {
		return err
	}
	for kind, components := range other.Components {
		if p.Components[kind] == nil {
			p.Components[kind] = map[string]jsontext.Value{}
		}
		if err := merge(p.Components[kind], components); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func merge(into, from map[string]jsontext.Value) error {
	for name, value := range from {
		if _, twice := into[name]; twice {
			return fmt.Errorf("%s is in another file too", name)
		}
		into[name] = value
	}
	return nil
}

// bearer is the security requirement of an operation that takes a token.
var bearer = regexp.MustCompile(`\{\s*"bearer":\s*\[\]\s*\}`)

// addProven adds the scheme of bound tokens wherever a token is taken: no operation takes
// the one and not the other.
func (p *part) addProven() {
	for path, operations := range p.Paths {
		p.Paths[path] = jsontext.Value(bearer.ReplaceAllString(string(operations), `${0}, {"dpop": []}`))
	}
}

// operationID is a member of an operation that names it.
var operationID = regexp.MustCompile(`("operationId": ?"[A-Za-z]+)"`)

// addFamily adds each path below family once more below another: the platform has its
// verification API at both. The operations there are the same, and are named as such.
func (p *part) addFamily(family, another string) error {
	again := map[string]jsontext.Value{}
	for path, operations := range p.Paths {
		if rest, ok := strings.CutPrefix(path, family); ok && (rest == "" || rest[0] == '/') {
			again[another+rest] = jsontext.Value(operationID.ReplaceAllString(string(operations), `${1}Alias"`))
		}
	}
	return merge(p.Paths, again)
}
