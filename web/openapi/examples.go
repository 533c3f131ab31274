package openapi

import (
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// addExamples shows the recorded examples (examples.json) in JSON responses without one: that of
// the schema, else that of the operation or, for responses of several operations, that of the
// component.
func (p *part) addExamples() error {
	for name, response := range p.Components["responses"] {
		var shown object
		if err := json.Unmarshal(response, &shown); err != nil {
			return err
		}
		p.showExample(shown, name)
		if err := replace(p.Components["responses"], name, shown); err != nil {
			return err
		}
	}
	for path, item := range p.Paths {
		var operations object
		if err := json.Unmarshal(item, &operations); err != nil {
			return err
		}
		for _, value := range operations {
			operation, _ := value.(object)
			name, _ := operation["operationId"].(string)
			responses, _ := operation["responses"].(object)
			for _, response := range responses {
				shown, _ := response.(object)
				p.showExample(shown, strings.TrimSuffix(name, "Alias"))
			}
		}
		if err := replace(p.Paths, path, operations); err != nil {
			return err
		}
	}
	return nil
}

// showExample refers to the example of a response's schema, else to the one of the name.
func (p *part) showExample(response object, name string) {
	content, _ := response["content"].(object)
	media, _ := content["application/json"].(object)
	if media == nil || media["example"] != nil || media["examples"] != nil {
		return
	}
	schema, _ := media["schema"].(object)
	ref, _ := schema["$ref"].(string)
	for _, of := range []string{path.Base(ref), name} {
		if p.Components["examples"][of] != nil {
			media["examples"] = object{"recorded": to("examples", of)}
			return
		}
	}
}

func replace(in map[string]jsontext.Value, name string, by object) error {
	content, err := json.Marshal(by, json.Deterministic(true))
	in[name] = content
	return err
}
