package signing

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a value of a payload under examination. A violation is noted with the value's
// JSON pointer (RFC 6901).
type value struct {
	text    jsontext.Value
	offset  int // in the skeleton
	pointer string
	rules   *rules
}

// note notes that v violates a rule; detail is the message id of its sentence (field.…).
func (v value) note(detail string) { v.rules.note(v.pointer, detail) }

// string returns v as a text; if it is none, it notes that and returns false.
func (v value) string() (string, bool) {
	if v.text.Kind() != '"' {
		v.note("field.string")
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v.text)
	return string(text), err == nil
}

// peek returns v as a text; "" if it is none, which is noted elsewhere.
func (v value) peek() string {
	text, err := jsontext.AppendUnquote(nil, v.text)
	if err != nil {
		return ""
	}
	return string(text)
}

// elements yields the elements of an array; if v is no array, it notes that and yields
// none.
func (v value) elements() iter.Seq[value] {
	if v.text.Kind() != '[' {
		v.note("field.list")
	}
	return func(yield func(value) bool) {
		decoder := jsontext.NewDecoder(bytes.NewReader(v.text))
		if token, err := decoder.ReadToken(); err != nil || token.Kind() != '[' {
			return
		}
		for i := 0; decoder.PeekKind() != ']'; i++ {
			text, err := decoder.ReadValue()
			if err != nil || !yield(v.part(strconv.Itoa(i), span{int(decoder.InputOffset()) - len(text), int(decoder.InputOffset())})) {
				return
			}
		}
	}
}

// span is the position of a part in a value.
type span struct{ from, to int }

func (v value) part(name string, at span) value {
	return value{text: v.text[at.from:at.to], offset: v.offset + at.from, pointer: v.pointer + "/" + escaper.Replace(name), rules: v.rules}
}

// escaper escapes a name for a JSON pointer.
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// object is a JSON object with the positions of its members.
type object struct {
	value
	members map[string]span
}

// object returns v as an object; if it is none, it notes that and returns false.
func (v value) object() (object, bool) {
	o := object{value: v, members: map[string]span{}}
	if v.text.Kind() != '{' {
		v.note("field.object")
		return o, false
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(v.text))
	_, err := decoder.ReadToken()
	for err == nil && decoder.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = decoder.ReadToken(); err != nil {
			break
		}
		key := name.String()
		var text jsontext.Value
		if text, err = decoder.ReadValue(); err == nil {
			end := int(decoder.InputOffset())
			o.members[key] = span{end - len(text), end}
		}
	}
	return o, true
}

// member returns the member; false if it is absent or null.
func (o object) member(name string) (value, bool) {
	at, ok := o.members[name]
	if !ok {
		return value{}, false
	}
	v := o.part(name, at)
	return v, v.text.Kind() != 'n'
}

// note notes that member name violates a rule or is missing.
func (o object) note(name, detail string) { o.rules.note(o.pointer+"/"+name, detail) }

// has reports whether the member is present and not null.
func (o object) has(name string) bool {
	_, ok := o.member(name)
	return ok
}

// string returns a member that is a text; false if it is absent, or no text, which it
// notes.
func (o object) string(name string) (string, bool) {
	v, ok := o.member(name)
	if !ok {
		return "", false
	}
	return v.string()
}

// peek returns a member that is a text; "" if it is none, which is noted elsewhere.
func (o object) peek(name string) string {
	if v, ok := o.member(name); ok {
		return v.peek()
	}
	return ""
}

// strings checks that the members, if present, are texts.
func (o object) strings(names ...string) {
	for _, name := range names {
		o.string(name)
	}
}

// required returns a text that must be present and not empty.
func (o object) required(name string) string {
	text, ok := o.string(name)
	if !o.has(name) {
		o.note(name, "field.required")
	} else if ok && text == "" {
		o.note(name, "field.empty")
	}
	return text
}

// sized checks that a text, if present, has 1 to 255 characters.
func (o object) sized(name string) {
	if text, ok := o.string(name); ok && text == "" {
		o.note(name, "field.length")
	}
	o.limitLength(maxName, "field.length", name)
}

// choice returns a text that, if present, must be one of allowed.
func (o object) choice(name string, allowed ...string) string {
	text, ok := o.string(name)
	if ok && !slices.Contains(allowed, text) {
		o.note(name, "field.choice")
	}
	return text
}

// is reports whether the member is true.
func (o object) is(name string) bool {
	v, ok := o.member(name)
	return ok && v.text.Kind() == 't'
}

// booleans checks that the members, if present, are true or false.
func (o object) booleans(names ...string) {
	for _, name := range names {
		if v, ok := o.member(name); ok && v.text.Kind() != 't' && v.text.Kind() != 'f' {
			v.note("field.boolean")
		}
	}
}

// number returns a member that is a number; false if it is absent, or no number, which it
// notes.
func (o object) number(name string) (float64, bool) {
	v, ok := o.member(name)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseFloat(string(v.text), 64)
	if v.text.Kind() != '0' || err != nil {
		v.note("field.number")
		return 0, false
	}
	return number, true
}

// count returns a whole number from zero on; false if the member is absent, or no such
// number, which it notes. A number too large for a float64 is infinite.
func (o object) count(name string) (float64, bool) {
	v, ok := o.member(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v.text), 64)
	switch {
	case v.text.Kind() != '0', err != nil && !math.IsInf(n, 0):
		v.note("field.number")
	case n < 0, n != math.Trunc(n):
		v.note("field.count")
	default:
		return n, true
	}
	return 0, false
}

// indexes checks that the members, if present, are whole numbers from zero on that an
// int64 holds.
func (o object) indexes(names ...string) {
	for _, name := range names {
		if n, ok := o.count(name); ok && n >= math.MaxInt64 {
			o.note(name, "field.count")
		}
	}
}

// elements yields the elements of a member that is an array, if present.
func (o object) elements(name string) iter.Seq[value] {
	if v, ok := o.member(name); ok {
		return v.elements()
	}
	return func(func(value) bool) {}
}
