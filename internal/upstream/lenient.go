package upstream

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// tolerant accepts what a strict reader refuses: Latin-1 in a document that claims to
// be JSON, and duplicate members.
var tolerant = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// Members reads the members of a JSON object; of one that breaks off, those before
// the break. Anything else has none.
func Members(body []byte) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	d := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))), tolerant...)
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return members
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return members
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return members
		}
		members[key] = value.Clone()
	}
	return members
}

// elements reads the elements of a JSON array, at most the first eight.
func elements(array jsontext.Value) []jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(array), tolerant...)
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

// text is the Go string of a JSON string, without secrets and shortened;
// anything else is empty. Bytes that are not UTF-8 are replaced.
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
