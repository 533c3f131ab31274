package upstream

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// elements reads the elements of a JSON array, at most the first eight.
func elements(array jsontext.Value) []jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(array), payload.Tolerant())
	if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
		return nil
	}
	var all []jsontext.Value
	for len(all) < 8 && d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			break
		}
		all = append(all, v.Clone())
	}
	return all
}

// text returns the Go string of a JSON string, shortened and without secrets; for
// anything else it returns "". Bytes that are not UTF-8 are replaced.
func text(v jsontext.Value, secrets *strings.Replacer) string {
	if v.Kind() != '"' {
		return ""
	}
	unquoted, _ := jsontext.AppendUnquote(nil, v)
	said := secrets.Replace(string(unquoted))
	if len(said) > maxText {
		said = strings.ToValidUTF8(said[:maxText], "") + "…"
	}
	return said
}
