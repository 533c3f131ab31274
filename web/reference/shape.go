package reference

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// rows returns a schema as the reference shows it: a row for the whole and for each member, as
// deep as they are described in place. whole names it.
func (s schema) rows(whole row) []row {
	whole.Ref, whole.Type, whole.About = componentOf(s.Ref), typeOf(s.Type), cmp.Or(whole.About, s.Description)
	for _, value := range s.Enum {
		whole.Values = append(whole.Values, value.String())
	}
	for _, keyword := range slices.Sorted(maps.Keys(s.Rules)) {
		if !slices.Contains(unshown, keyword) {
			whole.Rules = append(whole.Rules, keyword+": "+s.Rules[keyword].String())
		}
	}
	for _, name := range s.Required {
		if _, described := s.Properties.get(name); !described {
			whole.Rules = append(whole.Rules, "required: "+name)
		}
	}
	all := []row{whole}
	for _, one := range s.Properties {
		member := row{Name: strings.TrimPrefix(whole.Name+"."+one.name, "."), Required: slices.Contains(s.Required, one.name)}
		all = append(all, one.value.rows(member)...)
	}
	if s.Items != nil {
		all = append(all, s.Items.rows(row{Name: whole.Name + "[]"})...)
	}
	var others schema
	if s.AdditionalProperties.Kind() == '{' && json.Unmarshal(s.AdditionalProperties, &others) == nil {
		all = append(all, others.rows(row{Name: strings.TrimPrefix(whole.Name+".*", ".")})...)
	}
	for _, among := range []struct {
		how   string
		parts []schema
	}{{"all of", s.AllOf}, {"any of", s.AnyOf}, {"one of", s.OneOf}} {
		for _, part := range among.parts {
			all = append(all, part.rows(row{Name: whole.Name, Part: among.how})...)
		}
	}
	return all
}

// unshown are keywords that say nothing to a reader of the reference.
var unshown = []string{"title", "unevaluatedProperties", "example"}

// typeOf returns a schema's types in words.
func typeOf(types jsontext.Value) string {
	var one string
	if json.Unmarshal(types, &one) == nil {
		return one
	}
	var several []string
	if json.Unmarshal(types, &several) == nil {
		return strings.Join(several, " or ")
	}
	return ""
}
