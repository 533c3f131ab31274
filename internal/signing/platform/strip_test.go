package platform_test

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	signingapi "countersign/internal/signing/platform"
)

func TestPublic_LeavesOutOwnData(t *testing.T) {
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
		`{"count":1}`: `{"count":1}`, `{"id":1,"id":2,"data":{"a":{"b":1,"b":2}}}`: `{"id":1,"id":2,"data":{"a":{"b":1,"b":2}}}`,
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

func TestCustomFields_WithoutValues(t *testing.T) {
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

// Public takes data.countersign alone out of a package, in every text.
func FuzzPublic(f *testing.F) {
	for _, text := range []string{
		` {"a":1 , "data" : {"x":"y","countersign":{"owner":"a"}, "z":[1, 2]},"b":null}`,
		`{"data":{ "countersign" : 1 , "b":2 } }`, `{"data":{"a":1 , "countersign":{} , "d":2},"x":""}`, `{"data":{"countersign":[]}}`,
		`{"data":{"countersign":1,"\u0063":2}}`, `{"data":{"x":{"countersign":1}},"d":[{"data":{"countersign":1}}]}`,
		`{"data":{"countersign":1},"data":{}}`, `{"a":{"b":1,"b":2}}`, `{"a":{"b":1,"\u0062":2}}`,
		`{"a":"\u00e9\n\/\"","n":-0.5e+3,"b":[true,false,null]}`, `{"a":"\ud83d\ude00"}`, `{"a":"\udc00"}`, `{"a":"\q"}`, `{"a":"\u12"}`,
		"{\"a\":\"\x01\"}", "{\"a\":\"\xff\"}", "\ufeff{}", "{\"a\":\"\u00e9\u2028\x7f\"}", "{\r\n\t\"a\":0}\n", "{\"a\"\f:0}",
		`{"a":1.}`, `{"a":01}`, `{"a":-}`, `{"a":.5}`, `{"a":1e}`, `{"a":tru}`, `{"a":1,}`, `{"a":[1,]}`, `{"a":[1}`, `{}x`, `[{}]`, `""`, ``, `{`, `{"a`, `{"a":"\`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := signingapi.Public(jsontext.Value(text))
		if err != nil && !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%q: %v", text, err)
		}
		var before, after map[string]any
		if value := jsontext.Value(text); err != nil || !value.IsValid() || json.Unmarshal(value, &before) != nil {
			return
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if data, ok := before["data"].(map[string]any); ok {
			delete(data, "countersign")
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}
