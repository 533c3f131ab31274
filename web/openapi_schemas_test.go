package web

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
)

// A schema is only tested by values that it refuses, so each in testdata/bodies.txt has
// values that it allows (+) and values that it refuses (-).
func TestSchemas_AllowedAndRefusedValues(t *testing.T) {
	schemas := parsed(t).Components.Schemas
	name, verdicts := "", map[string]map[bool]int{}
	for line := range strings.Lines(read(t, "testdata/bodies.txt")) {
		sign, text, isBody := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !isBody {
			name, verdicts[sign] = sign, map[bool]int{}
			continue
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		err := schemas[name].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
		if allowed := sign == "+"; allowed != (err == nil) {
			t.Errorf("%s: %s: allowed %v, but: %v", name, text, allowed, err)
		}
		verdicts[name][sign == "+"]++
	}
	for name, counts := range verdicts {
		if len(counts) != 2 {
			t.Errorf("%s is tried with one verdict only", name)
		}
	}
}
