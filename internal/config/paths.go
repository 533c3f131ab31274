package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Paths holds path templates, by the names of the platform's operations, that replace the
// operations' own (docs/platform.md I14, V2, V6).
type Paths map[string]string

// Path is an operation of the platform whose path Paths may replace.
type Path struct {
	// Operation is the operation's name in Paths.
	Operation string
	// Methods are its HTTP methods. Default is its path unless Paths replace it.
	Methods []string
	Default string
	// Check reports what is wrong with another path.
	Check func(template string) error
}

// String returns p as one line of JSON, sorted by name, or "" if p is empty.
func (p Paths) String() string {
	if len(p) == 0 {
		return ""
	}
	text, err := json.Marshal(map[string]string(p))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// errPaths says that a text is not a document of paths.
var errPaths = errors.New("is not a document of YAML or JSON that maps operations to paths, such as login: /v1/users/{user}/login")

// parsePaths parses YAML, and so JSON. The members are texts, each named once.
func parsePaths(text string) (Paths, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&document); err != nil || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errPaths
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errPaths
	}
	members, paths := document.Content[0].Content, Paths{}
	for i := 0; i < len(members); i += 2 {
		name, path := members[i], members[i+1]
		if name.Kind != yaml.ScalarNode || path.Kind != yaml.ScalarNode || path.Tag != "!!str" {
			return nil, fmt.Errorf("%s: its path is not a text", strings.TrimSpace(name.Value))
		}
		if _, twice := paths[name.Value]; twice {
			return nil, fmt.Errorf("%s stands there twice", name.Value)
		}
		paths[name.Value] = path.Value
	}
	return paths, nil
}

// paths checks the operations that Config.Paths name.
func (l *loader) paths(operations []Path) {
	known := map[string]Path{}
	for _, p := range operations {
		known[p.Operation] = p
	}
	for name, template := range l.config.Paths {
		p, ok := known[name]
		if !ok {
			l.problems.add("PLATFORM_PATHS", "%q is not an operation: docs/configuration.md lists them", name)
		} else if err := p.Check(template); err != nil {
			l.problems.add("PLATFORM_PATHS", "%s: %v", name, err)
		}
	}
}
