package signingproxy

import (
	"bytes"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing/index"
)

// withTrashTimes adds to the packages of a list when they go to the trash.
func withTrashTimes(results iter.Seq2[jsontext.Value, error], times map[string]time.Time) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for value, err := range results {
			if at, ok := times[idOf(value)]; ok && err == nil {
				value = withTrashAt(value, at)
			}
			if !yield(value, err) {
				return
			}
		}
	}
}

// withTrashAt adds trashAt to a package, as its last member.
func withTrashAt(value jsontext.Value, at time.Time) jsontext.Value {
	rest, ok := bytes.CutSuffix(bytes.TrimSpace(value), []byte("}"))
	if !ok {
		return value
	}
	return append(bytes.Clone(rest), `,"trashAt":"`+at.UTC().Format(time.RFC3339)+`"}`...)
}

// idOf returns the id of a package; "" if it has none.
func idOf(value jsontext.Value) string {
	var p struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(value, &p, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // one without an id was not announced
	return p.ID
}

func idsOf(items []index.Item) []string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = idOf(item.Package)
	}
	return ids
}
