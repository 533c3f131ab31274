package apidoc

import (
	"encoding/json"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// unknownMembers returns pointers to the members of a JSON request that its schema does not
// name. A schema that names none takes any.
func unknownMembers(operation *openapi3.Operation, e Exchange) []string {
	if operation.RequestBody == nil || operation.RequestBody.Value == nil || !isJSON(e.RequestHeader) {
		return nil
	}
	media := operation.RequestBody.Value.Content.Get("application/json")
	var value any
	if media == nil || json.Unmarshal(e.Request, &value) != nil {
		return nil
	}
	var unknown []string
	walk(media.Schema, value, "", func(pointer string) { unknown = append(unknown, pointer) })
	return unknown
}

func walk(schema *openapi3.SchemaRef, value any, at string, tell func(pointer string)) {
	switch v := value.(type) {
	case map[string]any:
		named := map[string][]*openapi3.SchemaRef{}
		open := properties(schema, named, 0)
		for name, member := range v {
			switch schemas := named[name]; {
			case len(schemas) > 0:
				walk(schemas[0], member, at+"/"+name, tell)
			case !open && len(named) > 0:
				tell(at + "/" + name)
			}
		}
	case []any:
		if schema == nil || schema.Value == nil || schema.Value.Items == nil {
			return
		}
		for _, item := range v {
			walk(schema.Value.Items, item, at+"/*", tell)
		}
	}
}

// deepest limits how deep alternatives of schemas are followed.
const deepest = 8

// properties adds the members that schema, or one of its alternatives, names, and reports
// whether it allows others in words.
func properties(schema *openapi3.SchemaRef, into map[string][]*openapi3.SchemaRef, depth int) (open bool) {
	if schema == nil || schema.Value == nil || depth > deepest {
		return false
	}
	s := schema.Value
	for name, property := range s.Properties {
		into[name] = append(into[name], property)
	}
	open = s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Has != nil && *s.AdditionalProperties.Has
	for _, other := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		open = properties(other, into, depth+1) || open
	}
	return open
}
