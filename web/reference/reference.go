// Package reference renders the OpenAPI document as the page /docs/api.
package reference

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
)

// New returns the page of a document, without what belongs to one request.
func New(document []byte) (Page, error) {
	var s source
	if err := json.Unmarshal(document, &s); err != nil {
		return Page{}, fmt.Errorf("reference: read the document: %w", err)
	}
	page := Page{About: s.Info.Description, Errors: fault.Rows()}
	for _, tag := range s.Tags {
		page.Groups = append(page.Groups, group{Name: tag.Name, About: tag.Description})
	}
	for _, path := range slices.Sorted(maps.Keys(s.Paths)) {
		if err := s.addPath(page.Groups, path); err != nil {
			return Page{}, fmt.Errorf("reference: %s: %w", path, err)
		}
	}
	for _, one := range s.Components.Schemas {
		page.Schemas = append(page.Schemas, schemaSection{Name: one.name, Rows: one.value.rows(row{})})
	}
	page.Always = takeShared(page.Groups)
	return page, nil
}

// methods are the methods of a path, in the order in which they are shown.
var methods = []string{"get", "post", "put", "patch", "delete"}

// addPath adds the operations of a path to their groups. Those that are another's under a
// second path are named there.
func (s *source) addPath(groups []group, path string) error {
	for _, method := range methods {
		if s.Paths[path][method] == nil {
			continue
		}
		read, err := s.read(path, method)
		if err != nil {
			return err
		}
		if first, second := strings.CutSuffix(read.OperationID, alias); second {
			if known := find(groups, first); known != nil {
				known.Also = path
				continue
			}
		}
		shown, err := s.operation(path, strings.ToUpper(method), read)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		for i := range groups {
			if slices.Contains(read.Tags, groups[i].Name) {
				groups[i].Operations = append(groups[i].Operations, shown)
				break
			}
		}
	}
	return nil
}

// alias ends the id of an operation that is another's under a second path.
const alias = "Alias"

// find returns the operation id of the groups, or nil.
func find(groups []group, id string) *entry {
	for i := range groups {
		for j := range groups[i].Operations {
			if groups[i].Operations[j].ID == id {
				return &groups[i].Operations[j]
			}
		}
	}
	return nil
}

// operation returns an operation as the reference shows it.
func (s *source) operation(path, method string, read operation) (entry, error) {
	out := entry{
		ID: read.OperationID, Method: method, Path: path, Summary: read.Summary, About: read.Description, SignInID: signInID(read.Security),
	}
	parameters := s.parameters(read.Parameters)
	for _, one := range parameters {
		out.Parameters = append(out.Parameters, one.Schema.rows(row{Name: one.Name, In: one.In, Required: one.Required, About: one.Description})...)
	}
	out.Bodies = bodiesOf(read.RequestBody.Content)
	c := call{method: method, path: path, parameters: parameters, signedIn: out.SignInID == required}
	if len(s.Servers) > 0 {
		c.origin = s.Servers[0].URL
	}
	for _, one := range read.Responses {
		answer := s.response(one.value)
		if one.name >= "400" {
			out.Failures = append(out.Failures, failureOf(one.name, answer))
			continue
		}
		shown, err := s.success(one.name, answer)
		if err != nil {
			return out, err
		}
		out.Answers = append(out.Answers, shown)
		if one.name == "200" {
			c.file = fileOf(answer.Content)
		}
	}
	var err error
	out.Calls, err = c.calls(read.RequestBody.Content)
	return out, err
}

// required says that an operation needs a sign-in.
const required = "page.reference.sign-in"

// signInID returns the message that says whether an operation needs a sign-in, by its
// security requirements.
func signInID(security []map[string][]string) string {
	switch {
	case len(security) == 0:
		return "page.reference.no-sign-in"
	case slices.ContainsFunc(security, func(one map[string][]string) bool { return len(one) == 0 }):
		return "page.reference.sign-in-optional"
	}
	return required
}

// bodiesOf returns the bodies of the media types, without the page that people get in their
// place.
func bodiesOf(content orderedObject[media]) (all []body) {
	for _, one := range content {
		if one.name == "text/html" && len(content) > 1 {
			continue
		}
		shown := body{Media: one.name}
		if one.value.Schema != nil {
			shown.Rows = one.value.Schema.rows(row{})
		}
		all = append(all, shown)
	}
	return all
}

// success returns an answer of success.
func (s *source) success(status string, sent response) (answer, error) {
	out := answer{Status: status, About: sent.Description, Bodies: bodiesOf(sent.Content)}
	for _, body := range sent.Content {
		for _, one := range body.value.examplesOf() {
			if one.value.Ref != "" {
				one.value, one.name = s.Components.Examples[componentOf(one.value.Ref)], ""
			}
			text, err := indented(one.value.Value)
			if err != nil {
				return out, err
			}
			out.Examples = append(out.Examples, sample{Name: one.name, Text: text})
		}
	}
	return out, nil
}

// failureOf returns an answer of failure: the errors that its schema allows.
func failureOf(status string, answer response) failure {
	out := failure{Status: status, About: answer.Description}
	problem, _ := answer.Content.get("application/problem+json")
	if problem.Schema == nil {
		return out
	}
	for _, part := range problem.Schema.AllOf {
		key, _ := part.Properties.get("key")
		for _, one := range append(key.AnyOf, key) {
			if one.Ref != "" {
				out.Schemas = append(out.Schemas, componentOf(one.Ref))
			}
			for _, value := range one.Enum {
				var text string
				if json.Unmarshal(value, &text) == nil {
					out.Keys = append(out.Keys, text)
				}
			}
		}
	}
	return out
}

// takeShared takes the failures that all operations have out of them, and returns them.
func takeShared(groups []group) (shared []failure) {
	same := func(a failure) func(failure) bool {
		return func(b failure) bool {
			return a.Status == b.Status && slices.Equal(a.Keys, b.Keys) && slices.Equal(a.Schemas, b.Schemas)
		}
	}
	first := true
	for _, group := range groups {
		for _, o := range group.Operations {
			if first {
				shared, first = slices.Clone(o.Failures), false
			}
			shared = slices.DeleteFunc(shared, func(f failure) bool { return !slices.ContainsFunc(o.Failures, same(f)) })
		}
	}
	for i := range groups {
		for j := range groups[i].Operations {
			o := &groups[i].Operations[j]
			o.Failures = slices.DeleteFunc(o.Failures, func(f failure) bool { return slices.ContainsFunc(shared, same(f)) })
		}
	}
	return shared
}

// fileOf returns a name for an answer that is a file; "" for one to read in a terminal.
func fileOf(content orderedObject[media]) string {
	for _, kind := range []string{"pdf", "zip", "png", "jpeg", "webp", "xml", "csv"} {
		for _, one := range content {
			if strings.HasSuffix(one.name, "/"+kind) {
				return "answer." + kind
			}
		}
	}
	return ""
}

// Search finds the operations, errors and schemas that have each word of a query.
func (p *Page) Search(query string) {
	p.Query = query

	words := strings.Fields(strings.ToLower(query))
	add := func(text string, h hit) {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			h.Href = Path + "#" + url.PathEscape(h.Href)
			p.Found = append(p.Found, h)
		}
	}
	for _, group := range p.Groups {
		for _, o := range group.Operations {
			add(o.Matches(), hit{Href: o.ID, Code: o.Method + " " + o.Path, Text: o.Summary})
		}
	}
	for _, row := range p.Errors {
		add(string(row.Key), hit{Href: "error." + string(row.Key), Code: string(row.Key)})
	}
	for _, one := range p.Schemas {
		add(strings.ToLower(one.Name), hit{Href: "schema." + one.Name, Code: one.Name})
	}
}
