package payload_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

func TestRewrite_ValueByPointer(t *testing.T) {
	double := func(at jsontext.Pointer, value jsontext.Value) (jsontext.Value, error) {
		if at == "/a/1/b" {
			return jsontext.Value(`"changed"`), nil
		}
		return value, nil
	}
	for text, want := range map[string]string{
		`{}`: `{}`,
		`{"z": 1.0, "a" : [ "\u0061" , {"b":"x"} ] }`: `{"z":1.0,"a":["\u0061",{"b":"changed"}]}`,
		`{"a":null,"b":[null,{"c":null}],"d":""}`:     `{"b":[{}],"d":""}`,
		`null`: `null`,
	} {
		if got, err := payload.Rewrite([]byte(text), double); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{``, `{`, `{"a":1,"a":2}`, `[1`, `{}{}`, `{"a":nul}`} {
		if got, err := payload.Rewrite([]byte(text), nil); err == nil {
			t.Errorf("%s: %s", text, got)
		}
	}
	refusal := errors.New("no")
	_, err := payload.Rewrite([]byte(`[1]`), func(jsontext.Pointer, jsontext.Value) (jsontext.Value, error) { return nil, refusal })
	if !errors.Is(err, refusal) {
		t.Errorf("%v", err)
	}
}
