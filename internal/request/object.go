package request

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// maxViolations limits the violations that an answer names.
const maxViolations = 20

// Object is a JSON object under examination. Its members are taken one by one, each by
// its rule, and each violation is noted with its JSON pointer (RFC 6901), so that the
// client gets all of them at once, at most the first 20. A member that is null counts as
// absent.
type Object struct {
	pointer    string
	members    map[string]jsontext.Value
	order      []string
	violations *[]fault.Field // of the whole body, shared by its objects
}

// newObject reads value, a well-formed JSON object.
func newObject(pointer string, value jsontext.Value, violations *[]fault.Field) *Object {
	o := &Object{pointer: pointer, members: map[string]jsontext.Value{}, violations: violations}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(value)) // reads value without a copy
	if _, err := decoder.ReadToken(); err != nil {
		return o
	}
	for decoder.PeekKind() != '}' {
		token, err := decoder.ReadToken()
		if err != nil {
			return o
		}
		name := token.String()
		member, err := decoder.ReadValue()
		if err != nil {
			return o
		}
		end := decoder.InputOffset()
		o.members[name] = value[end-int64(len(member)) : end]
		o.order = append(o.order, name)
	}
	return o
}

// Note notes that member name violates a rule; detail is the message id of its sentence
// (field.…).
func (o *Object) Note(name, detail string) {
	o.note(o.pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), detail)
}

// NoteSelf notes that the object as a whole violates a rule.
func (o *Object) NoteSelf(detail string) { o.note(o.pointer, detail) }

func (o *Object) note(pointer, detail string) {
	if len(*o.violations) < maxViolations {
		*o.violations = append(*o.violations, fault.Field{Pointer: short(pointer), Detail: detail})
	}
}

// take removes and returns a member; false if it is absent or null.
func (o *Object) take(name string) (jsontext.Value, bool) {
	value, ok := o.members[name]
	delete(o.members, name)
	return value, ok && value.Kind() != 'n'
}

// Text takes a string; with allowed values it must be one of those. It returns false if
// the member is absent or violates the rule.
func (o *Object) Text(name string, allowed ...string) (string, bool) {
	value, ok := o.take(name)
	if !ok {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		o.Note(name, "field.string")
		return "", false
	}
	s := string(text)
	if len(allowed) > 0 && !slices.Contains(allowed, s) {
		o.Note(name, "field.choice")
		return "", false
	}
	return s, true
}

// Required takes a string that must be present; with allowed values it must be one of
// those.
func (o *Object) Required(name string, allowed ...string) string {
	if value, present := o.members[name]; !present || value.Kind() == 'n' {
		delete(o.members, name)
		o.Note(name, "field.required")
		return ""
	}
	s, _ := o.Text(name, allowed...)
	return s
}

// NonEmpty takes a string that may be absent, but not empty.
func (o *Object) NonEmpty(name string) string {
	s, ok := o.Text(name)
	if ok && s == "" {
		o.Note(name, "field.empty")
	}
	return s
}

// Boolean takes a boolean; nil if it is absent.
func (o *Object) Boolean(name string) *bool {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	kind := value.Kind()
	if kind != 't' && kind != 'f' {
		o.Note(name, "field.boolean")
		return nil
	}
	b := kind == 't'
	return &b
}

// Object takes a member that is an object itself; nil if it is absent.
func (o *Object) Object(name string) *Object {
	value, ok := o.Raw(name)
	if !ok {
		return nil
	}
	return newObject(o.pointer+"/"+name, value, o.violations)
}

// Raw takes a member that is an object, without decoding it.
func (o *Object) Raw(name string) (jsontext.Value, bool) {
	value, ok := o.take(name)
	if ok && value.Kind() != '{' {
		o.Note(name, "field.object")
		return nil, false
	}
	return value, ok
}

// Texts takes an array of strings, each one of allowed.
func (o *Object) Texts(name string, allowed ...string) []string {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	var list []string
	if value.Kind() != '[' || json.Unmarshal(value, &list) != nil {
		o.Note(name, "field.strings")
		return nil
	}
	for _, s := range list {
		if !slices.Contains(allowed, s) {
			o.Note(name, "field.choice")
			return nil
		}
	}
	return list
}

// Refuse notes detail for each of the names that is present.
func (o *Object) Refuse(detail string, names ...string) {
	for _, name := range names {
		if _, present := o.take(name); present {
			o.Note(name, detail)
		}
	}
}

// Unknown notes the members that were not taken.
func (o *Object) Unknown() {
	for _, name := range o.order {
		if len(*o.violations) == maxViolations {
			return
		}
		if _, left := o.members[name]; left {
			o.Note(name, "field.unknown")
		}
	}
}

// Err returns all violations noted in the body so far as one request.invalid, in the
// order of the rules; nil if there are none.
func (o *Object) Err() error {
	if len(*o.violations) == 0 {
		return nil
	}
	return fault.Invalid(*o.violations...)
}

// Done calls Unknown and returns Err.
func (o *Object) Done() error {
	o.Unknown()
	return o.Err()
}
