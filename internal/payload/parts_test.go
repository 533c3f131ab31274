package payload_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// The parts of a value are yielded with their places up to what cannot be read, which is the
// last: nobody takes a part of a value for the whole.
func TestParts_UpToWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` {"a" : 1, "b\u0062":[ {} ]} `: `a=1@8 bb=[ {} ]@21 `,
		`[null, {"a":1},"x"]`:           `=null@1 ={"a":1}@7 ="x"@15 `,
		`{}`:                            ``,
		`[]`:                            ``,
		`"text"`:                        ``,
		`3`:                             ``,
		`null`:                          ``,
		``:                              `error`,
		`{`:                             `error`,
		`{"a":1`:                        `a=1@5 error`,
		`{"a":1]`:                       `a=1@5 error`,
		`{"a":1,}`:                      `a=1@5 error`,
		`{"a":1 "b":2}`:                 `a=1@5 error`,
		`{"a":1,"a":2}`:                 `a=1@5 error`,
		`[1] 2`:                         `=1@1 error`,
		`[1,2}`:                         `=1@1 =2@3 error`,
		`[1,tru]`:                       `=1@1 error`,
		"[1,\"\xff\"]":                  `=1@1 error`,
	} {
		got := ""
		for p, err := range payload.Parts([]byte(text)) {
			if err != nil {
				got += "error"
				continue
			}
			got += fmt.Sprintf("%s=%s@%d ", p.Name, p.Value, p.From)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for p := range payload.Parts([]byte(`[1,2]`)) {
		if string(p.Value) != "1" {
			t.Errorf("%s after the loop has ended", p.Value)
		}
		break
	}
	if all := payload.Members([]byte("{\"a\":\"\xff\",\"a\":2,\"b\":[")); len(all) != 1 || string(all["a"]) != "2" {
		t.Errorf("members before a break: %v", all)
	}
}

// A text is as deep as its objects and arrays, whatever its strings contain.
func TestDepth_OfObjectsAndArrays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{``: 0, `1`: 0, `"[[\"["`: 0, `[[],[[1]]]`: 3, `{"a[":[{"b":"}"}]}`: 3, `{"a":1,"a":[]}`: 2, `[[`: 2} {
		if got := payload.Depth(jsontext.Value(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
