package reference

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// source is what the reference shows of an OpenAPI document.
type source struct {
	Info struct {
		Description string `json:"description"`
	} `json:"info"`
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]map[string]jsontext.Value `json:"paths"`
	Components struct {
		Parameters map[string]parameter  `json:"parameters"`
		Responses  map[string]response   `json:"responses"`
		Schemas    orderedObject[schema] `json:"schemas"`
		Examples   map[string]example    `json:"examples"`
	} `json:"components"`
}

type operation struct {
	OperationID string                `json:"operationId"`
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	RequestBody struct {
		Content orderedObject[media] `json:"content"`
	} `json:"requestBody"`
	Responses orderedObject[response] `json:"responses"`
}

type parameter struct {
	Ref         string         `json:"$ref"`
	Name        string         `json:"name"`
	In          string         `json:"in"`
	Required    bool           `json:"required"`
	Description string         `json:"description"`
	Example     jsontext.Value `json:"example"`
	Schema      schema         `json:"schema"`
}

type response struct {
	Ref         string               `json:"$ref"`
	Description string               `json:"description"`
	Content     orderedObject[media] `json:"content"`
}

type media struct {
	Schema   *schema                `json:"schema"`
	Example  jsontext.Value         `json:"example"`
	Examples orderedObject[example] `json:"examples"`
}

type example struct {
	Ref   string         `json:"$ref"`
	Value jsontext.Value `json:"value"`
}

// schema is a JSON schema; rules are the keywords that the reference shows as they are.
type schema struct {
	Ref                  string                    `json:"$ref"`
	Description          string                    `json:"description"`
	Type                 jsontext.Value            `json:"type"`
	Required             []string                  `json:"required"`
	Properties           orderedObject[schema]     `json:"properties"`
	Items                *schema                   `json:"items"`
	AdditionalProperties jsontext.Value            `json:"additionalProperties"`
	Enum                 []jsontext.Value          `json:"enum"`
	AllOf                []schema                  `json:"allOf"`
	AnyOf                []schema                  `json:"anyOf"`
	OneOf                []schema                  `json:"oneOf"`
	Rules                map[string]jsontext.Value `json:",embed"`
}

// orderedObject is the members of a JSON object, in their order.
type orderedObject[V any] []member[V]

type member[V any] struct {
	name  string
	value V
}

// UnmarshalJSONFrom reads an object.
func (o *orderedObject[V]) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	for in.PeekKind() != '}' {
		name, err := in.ReadToken()
		if err != nil {
			return err
		}
		one := member[V]{name: name.String()}
		if err := json.UnmarshalDecode(in, &one.value); err != nil {
			return err
		}
		*o = append(*o, one)
	}
	_, err := in.ReadToken()
	return err
}

// get returns the member name, and whether there is one.
func (o orderedObject[V]) get(name string) (value V, found bool) {
	for _, one := range o {
		if one.name == name {
			return one.value, true
		}
	}
	return value, false
}

// componentOf returns the name of the component that a reference is to.
func componentOf(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// read returns an operation, with the parameters of its path; the zero value if there is none.
func (s *source) read(path, method string) (operation, error) {
	var read operation
	item := s.Paths[path]
	if item[method] == nil {
		return read, nil
	}
	if err := json.Unmarshal(item[method], &read); err != nil {
		return read, fmt.Errorf("%s: %w", method, err)
	}
	if item["parameters"] == nil {
		return read, nil
	}
	var shared []parameter
	err := json.Unmarshal(item["parameters"], &shared)
	read.Parameters = append(shared, read.Parameters...)
	return read, err
}

// parameters returns the parameters, with what they refer to in their place.
func (s *source) parameters(all []parameter) []parameter {
	found := make([]parameter, len(all))
	for i, one := range all {
		found[i] = one
		if one.Ref != "" {
			found[i] = s.Components.Parameters[componentOf(one.Ref)]
		}
	}
	return found
}

// response returns the response, or the one that it refers to.
func (s *source) response(r response) response {
	if r.Ref != "" {
		return s.Components.Responses[componentOf(r.Ref)]
	}
	return r
}

// examplesOf returns the examples of a media type, by name; "" for the only one.
func (m media) examplesOf() orderedObject[example] {
	if m.Example != nil {
		return orderedObject[example]{{value: example{Value: m.Example}}}
	}
	return m.Examples
}
