package apidoc

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// repaired returns a document, JSON or YAML, as JSON. A schema that refers to something else than
// a schema allows anything: documents of the field have such errors in places that nobody reads,
// and the library refuses the whole document. Media types lose their parameters, by which the
// library would look for them.
func repaired(content []byte) ([]byte, error) {
	var read yaml.Node
	if err := yaml.Unmarshal(content, &read); err != nil {
		return nil, err
	}
	nameByText(&read)
	var document any
	if err := read.Decode(&document); err != nil {
		return nil, err
	}
	repair(document, "", "")
	return json.Marshal(document)
}

// nameByText makes texts of the names of members, which may be written as numbers (200:).
func nameByText(n *yaml.Node) {
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && inner.ShortTag() != "!!merge" {
			inner.Tag = "!!str"
		}
		nameByText(inner)
	}
}

func repair(value any, above, at string) {
	switch v := value.(type) {
	case map[string]any:
		ref, _ := v["$ref"].(string)
		isSchema := at == "items" || at == "schema" || at == "not" || at == "additionalProperties" || above == "properties"
		if isSchema && strings.HasPrefix(ref, "#/components/") && !strings.HasPrefix(ref, "#/components/schemas/") {
			delete(v, "$ref")
		}
		for name, member := range v {
			if media, _, hasParameters := strings.Cut(name, ";"); at == "content" && hasParameters {
				delete(v, name)
				v[media] = member
			}
			repair(member, at, name)
		}
	case []any:
		for _, item := range v {
			repair(item, above, at)
		}
	}
}
