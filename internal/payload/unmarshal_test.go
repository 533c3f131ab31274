package payload_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

type read struct {
	Text  string             `json:"text"`
	Flag  bool               `json:"flag"`
	Count int                `json:"count"`
	Size  float64            `json:"size"`
	Time  time.Time          `json:"time"`
	Raw   jsontext.Value     `json:"raw"`
	More  *read              `json:"more"`
	List  []read             `json:"list"`
	Named map[string]float64 `json:"named"`
}

// A value of another kind is zero to a lenient reader; a strict one refuses texts, objects and
// lists that are something else.
func TestUnmarshalLenient_OtherKinds(t *testing.T) {
	for text, c := range map[string]struct {
		want    string // without what is zero
		refused bool
	}{
		`{"text":"a","flag":true,"count":7,"size":0.5,"raw":[1],"more":{"text":"b"},"list":[{"text":"c"}],"named":{"x":1}}`: {
			`{"text":"a","flag":true,"count":7,"size":0.5,"raw":[1],"more":{"text":"b"},"list":[{"text":"c"}],"named":{"x":1}}`, false,
		},
		`{"text":null,"flag":null,"count":null,"size":null,"time":null,"more":null,"list":null,"named":null}`: {`{}`, false},
		`{"text":"a","flag":"x","count":1.5,"size":"x","count":"7"}`:                                          {`{"text":"a"}`, false},
		`{"text":7,"flag":true}`:                                      {`{"flag":true}`, true},
		`{"text":"a","text":{}}`:                                      {`{}`, true},
		`{"list":{"a":1},"flag":true}`:                                {`{"flag":true}`, true},
		`{"list":["a",{"text":"b"},null],"flag":true}`:                {`{"flag":true,"list":[{},{"text":"b"},{}]}`, true},
		`{"named":[1],"flag":true}`:                                   {`{"flag":true}`, true},
		`{"more":"a","flag":true}`:                                    {`{"flag":true,"more":{}}`, true},
		"{\"text\":\"a\xff\"}":                                        {"{\"text\":\"a\ufffd\"}", false},
		`{"size":-1e999,"count":-99999999999999999999,"flag":true}`:   {`{"flag":true}`, false},
		`{"size":1e-999,"count":1e3,"named":{"x":1e999},"flag":true}`: {`{"flag":true,"named":{"x":0}}`, false},
		`{"size":1e999,"count":99999999999999999999,"flag":true}`:     {`{"flag":true}`, false},
		`{"more":{"text":"a"},"more":{"flag":true}}`:                  {`{"more":{"flag":true}}`, false},
		`[]`: {`{}`, true},
	} {
		var lenient, strict read
		if err := payload.UnmarshalLenient([]byte(text), &lenient); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		err := payload.UnmarshalStrict([]byte(text), &strict)
		if (err != nil) != c.refused {
			t.Errorf("%s, read strictly: %v", text, err)
		}
		for about, got := range map[string]read{"leniently": lenient, "strictly": strict} {
			if about == "strictly" && c.refused {
				continue
			}
			shown, err := json.Marshal(got, json.OmitZeroStructFields(true))
			if err != nil || string(shown) != c.want {
				t.Errorf("%s is, read %s, %s, %v; want %s", text, about, shown, err, c.want)
			}
		}
	}
	for _, text := range []string{``, `{`, `{"text":"a"}x`, `{"list":[`} {
		if payload.UnmarshalLenient([]byte(text), new(read)) == nil {
			t.Errorf("%q is JSON", text)
		}
	}
}
