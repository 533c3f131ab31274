package signing

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/safetext"
)

// onLine notes the named texts, which are what people and things are called, that have
// control characters or turn the direction of writing. What the platform has already is
// let through: a client may send back a whole package with one change.
func (r *rules) onLine(o payload.Object, names ...string) {
	for _, name := range names {
		if v, ok := o.Member(name); ok {
			r.line(v)
		}
	}
}

// line is onLine for one text.
func (r *rules) line(v payload.Value) {
	if !safetext.IsLine(v.StringOrEmpty()) {
		r.noteBound(v.Pointer(), "field.controls")
	}
}

// inProse is line for any text, which may have several lines, unless nobody reads it: what is
// looked for in a file, a pattern, or a client's own data.
func (r *rules) inProse(text string, pointer func() jsontext.Pointer) {
	if safetext.IsProse(text) {
		return
	}
	at := pointer()
	if !r.verbatim[string(at)] && at.LastToken() != "pattern" && !isOwnData(at) {
		r.noteBound(string(at), "field.controls")
	}
}

// isOwnData reports whether at is in the data that clients keep in an object: the payload itself,
// or one of a list.
func isOwnData(at jsontext.Pointer) bool {
	tokens := slices.Collect(at.Tokens())
	i := slices.Index(tokens, "data")
	return i == 0 || i > 0 && strings.Trim(tokens[i-1], "0123456789") == ""
}

// inList is onLine for the objects in a list.
func (r *rules) inList(o payload.Object, list string, names ...string) {
	v, ok := o.Member(list)
	if !ok || v.Kind() != '[' {
		return
	}
	for element := range v.Elements() {
		if element.Kind() == '{' {
			one, _ := element.Object()
			r.onLine(one, names...)
		}
	}
}
