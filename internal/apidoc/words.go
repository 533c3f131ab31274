package apidoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Know adds the fixed parts of paths that are in no document, templates with {placeholders}, to
// those that a recording keeps.
func (d *Documents) Know(templates ...string) {
	for _, template := range templates {
		path, _, _ := strings.Cut(template, "?")
		for segment := range strings.SplitSeq(path, "/") {
			if !strings.ContainsAny(segment, "{}*") {
				d.segments[segment] = true
			}
		}
	}
}

// learn adds the words of a document: names of members, values of enumerations, parts of paths.
func (d *Documents) learn(document *openapi3.T, below string) {
	seen := map[*openapi3.Schema]bool{}
	for path, item := range document.Paths.Map() {
		d.Know(below + path)
		for _, operation := range item.Operations() {
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				if parameter.Value != nil {
					d.words[parameter.Value.Name] = true
					d.numbers[parameter.Value.Name] = d.numbers[parameter.Value.Name] || isNumber(parameter.Value.Schema)
					d.learnSchema(parameter.Value.Schema, seen)
				}
			}
			if operation.RequestBody != nil && operation.RequestBody.Value != nil {
				for _, media := range operation.RequestBody.Value.Content {
					d.learnSchema(media.Schema, seen)
				}
			}
			for _, response := range operation.Responses.Map() {
				if response.Value == nil {
					continue
				}
				for _, media := range response.Value.Content {
					d.learnSchema(media.Schema, seen)
				}
			}
		}
	}
}

// isNumber reports whether a schema has numbers or booleans.
func isNumber(s *openapi3.SchemaRef) bool {
	return s != nil && s.Value != nil && (s.Value.Type.Is("integer") || s.Value.Type.Is("number") || s.Value.Type.Is("boolean"))
}

func (d *Documents) learnSchema(schema *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if schema == nil || schema.Value == nil || seen[schema.Value] {
		return
	}
	s := schema.Value
	seen[s] = true
	if s.Pattern != "" && !slices.Contains(d.patterns, s.Pattern) {
		d.patterns = append(d.patterns, s.Pattern)
	}
	for _, value := range s.Enum {
		d.words[fmt.Sprint(value)] = true
	}
	for name, property := range s.Properties {
		d.words[name] = true
		d.learnSchema(property, seen)
	}
	for _, others := range [][]*openapi3.SchemaRef{s.AllOf, s.OneOf, s.AnyOf, {s.Items, s.Not, s.AdditionalProperties.Schema}} {
		for _, other := range others {
			d.learnSchema(other, seen)
		}
	}
}
