package platform_test

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	signingapi "countersign/internal/signing/platform"
)

func TestPublicLeavesOutWhatIsOurs(t *testing.T) {
	for value, want := range map[string]string{
		`{"id":"p"}`: `{"id":"p"}`,
		` { "id" : "p", "data" : {"countersign" : {"owner":"a"}} , "x":1.0}`:        ` { "id" : "p", "data" : {} , "x":1.0}`,
		`{"data":{"a":1, "countersign":{}, "b":2}}`:                                 `{"data":{"a":1, "b":2}}`,
		`{"data":{"countersign":{}, "b":2}}`:                                        `{"data":{"b":2}}`,
		`{"data":{"a":1, "countersign":{"owner":"a"} }}`:                            `{"data":{"a":1 }}`,
		`{"data":{"\u0063ountersign":{"owner":"a"}}}`:                               `{"data":{}}`,
		`{"\u0064ata":{"countersign":{"owner":"a"}},"id":"countersign"}`:            `{"\u0064ata":{},"id":"countersign"}`,
		`{"data":null,"name":"countersign"}`:                                        `{"data":null,"name":"countersign"}`,
		`{"data":"countersign"}`:                                                    `{"data":"countersign"}`,
		`{"x":{"data":{"countersign":1}},"data":{"data":{"countersign":1},"z":[]}}`: `{"x":{"data":{"countersign":1}},"data":{"data":{"countersign":1},"z":[]}}`,
		"{\n\"data\":{\n\"countersign\":1,\n\"b\":2\n}\n}":                          "{\n\"data\":{\n\"b\":2\n}\n}",
		`{"count":1}`: `{"count":1}`,
		`{"data":{"countersign":1,"a":2,"countersign":3},"data":{"countersign":4}}`: `{"data":{}}`,
	} {
		got, err := signingapi.Public(jsontext.Value(value))
		if err != nil || string(got) != want {
			t.Errorf("%s\nbecomes %s, %v", value, got, err)
		}
	}
	for _, broken := range []string{`{"data":{"countersign":1}`, `{"countersign"`, `{"data":{"countersign":1}} {}`} {
		if got, err := signingapi.Public(jsontext.Value(broken)); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s: %s, %v", broken, got, err)
		}
	}
}

func TestCustomFieldsWithoutTheirValues(t *testing.T) {
	for fields, want := range map[string]string{
		`[ {"id":"a", "value":"secret" , "name":""}, {"value":null,"id":"b"} ]`: `[ {"id":"a" , "name":""}, {"id":"b"} ]`,
		`{"id":"a","value":"secret","translations":[{"value":"kept"}]}`:         `{"id":"a","translations":[{"value":"kept"}]}`,
		`[{"value":1,"value":2}]`: `[{}]`,
		`[]`:                      `[]`, `[1]`: `[1]`, `null`: `null`,
	} {
		got, err := signingapi.WithoutValues(jsontext.Value(fields))
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v", fields, got, err)
		}
	}
	for _, broken := range []string{`[{"value":"secret"}`, `{"value":"secret"`} {
		if got, err := signingapi.WithoutValues(jsontext.Value(broken)); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s: %s, %v", broken, got, err)
		}
	}
}

// Public removes data.countersign from any object, and nothing else.
func FuzzPublic(f *testing.F) {
	f.Add(` {"a":1 , "data" : {"x":"y","countersign":{"owner":"a"}, "z":[1, 2]},"b":null}`)
	f.Add(`{"data":{"countersign":1,"\u0063":2}}`)
	f.Fuzz(func(t *testing.T, text string) {
		value := jsontext.Value(text)
		got, err := signingapi.Public(value)
		if err != nil || !value.IsValid() {
			return
		}
		var before, after map[string]any
		if json.Unmarshal(value, &before) != nil {
			return // no object
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if data, ok := before["data"].(map[string]any); ok {
			delete(data, "countersign")
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}
