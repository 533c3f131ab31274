package payload

import (
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a value of a payload under examination. A violation of it is noted with its JSON
// pointer (RFC 6901).
type Value struct {
	text       jsontext.Value
	begin      int
	pointer    string
	violations *Violations
}

// Place is the position of a value: from its first byte to the one behind its last.
type Place struct{ From, To int }

// Raw returns the value as it stands in the payload.
func (v Value) Raw() jsontext.Value { return v.text }

// Kind returns the value's kind.
func (v Value) Kind() jsontext.Kind { return v.text.Kind() }

// Pointer returns the value's JSON pointer.
func (v Value) Pointer() string { return v.pointer }

// Place returns where the value stands in the examined text.
func (v Value) Place() Place { return Place{v.begin, v.begin + len(v.text)} }

// Note notes that the value violates a rule; detail is the message id of its sentence
// (field.…).
func (v Value) Note(detail string) { v.violations.Note(v.pointer, detail) }

// Text returns a string; it notes any other value and returns false.
func (v Value) Text() (string, bool) {
	if v.Kind() != '"' {
		v.Note("field.string")
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v.text)
	return string(text), err == nil
}

// StringOrEmpty returns a string; "" for any other value.
func (v Value) StringOrEmpty() string {
	text, err := jsontext.AppendUnquote(nil, v.text)
	if err != nil {
		return ""
	}
	return string(text)
}

// Elements yields the elements of an array; it notes any other value and yields none.
func (v Value) Elements() iter.Seq[Value] {
	if v.Kind() != '[' {
		v.Note("field.list")
		return func(func(Value) bool) {}
	}
	return func(yield func(Value) bool) {
		i := 0
		for p, err := range Parts(v.text) {
			if err != nil || !yield(v.part(strconv.Itoa(i), p.Place)) {
				return
			}
			i++
		}
	}
}

// Count returns how many elements an array has; 0 for any other value.
func (v Value) Count() (n int) {
	if v.Kind() != '[' {
		return 0
	}
	for range v.Elements() {
		n++
	}
	return n
}

// part returns the part at a place of the value's text.
func (v Value) part(name string, at Place) Value {
	return Value{text: v.text[at.From:at.To], begin: v.begin + at.From, pointer: v.pointer + "/" + escaper.Replace(name), violations: v.violations}
}

// escaper escapes a name for a JSON pointer.
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// Object returns an object; it notes any other value and returns false.
func (v Value) Object() (Object, bool) {
	o := Object{Value: v, members: map[string]*member{}}
	if v.Kind() != '{' {
		v.Note("field.object")
		return o, false
	}
	for p, err := range Parts(v.text) {
		if err == nil {
			name := string(p.Name)
			o.members[name] = &member{Place: p.Place}
			o.names = append(o.names, name)
		}
	}
	return o, true
}
