package handlers

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// object is a JSON object under examination: its members are taken one by one,
// each by its rule, and what breaks a rule is noted with its JSON pointer, so
// that a client hears of all violations at once. A member that is null counts
// as absent.
type object struct {
	pointer string
	members map[string]jsontext.Value
	order   []string
	root    *violations
}

// violations gathers what is wrong with a body, over all its objects.
type violations struct{ fields []fault.Field }

// newObject reads value, a JSON object known to be well-formed.
func newObject(pointer string, value jsontext.Value) *object {
	o := &object{pointer: pointer, members: map[string]jsontext.Value{}, root: &violations{}}
	o.read(value)
	return o
}

func (o *object) read(value jsontext.Value) {
	decoder := jsontext.NewDecoder(strings.NewReader(string(value)))
	if _, err := decoder.ReadToken(); err != nil {
		return
	}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		member, err := decoder.ReadValue()
		if err != nil {
			return
		}
		o.members[key] = member.Clone()
		o.order = append(o.order, key)
	}
}

// at is the JSON pointer of member name.
func (o *object) at(name string) string {
	return o.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (o *object) note(name, detail string) {
	o.root.fields = append(o.root.fields, fault.Field{Pointer: short(o.at(name)), Detail: detail})
}

// noteSelf notes what is wrong with the object as a whole.
func (o *object) noteSelf(detail string) {
	o.root.fields = append(o.root.fields, fault.Field{Pointer: o.pointer, Detail: detail})
}

// take removes and returns a member; false when it is absent or null.
func (o *object) take(name string) (jsontext.Value, bool) {
	value, ok := o.members[name]
	delete(o.members, name)
	return value, ok && value.Kind() != 'n'
}

// text takes a string; with allowed values it must be one of those.
func (o *object) text(name string, allowed ...string) (string, bool) {
	value, ok := o.take(name)
	if !ok {
		return "", false
	}
	if value.Kind() != '"' {
		o.note(name, "field.string")
		return "", false
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		o.note(name, "field.string")
		return "", false
	}
	if len(allowed) > 0 && !slices.Contains(allowed, s) {
		o.note(name, "field.choice")
		return "", false
	}
	return s, true
}

// required takes a string that must be there; with allowed values it must be
// one of those.
func (o *object) required(name string, allowed ...string) string {
	if value, present := o.members[name]; !present || value.Kind() == 'n' {
		delete(o.members, name)
		o.note(name, "field.required")
		return ""
	}
	s, _ := o.text(name, allowed...)
	return s
}

// nonEmpty takes a string that may be absent but not be empty.
func (o *object) nonEmpty(name string) string {
	s, ok := o.text(name)
	if ok && s == "" {
		o.note(name, "field.empty")
	}
	return s
}

// boolean takes a boolean; nil when it is absent.
func (o *object) boolean(name string) *bool {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	if kind := value.Kind(); kind != 't' && kind != 'f' {
		o.note(name, "field.boolean")
		return nil
	}
	b := value.Kind() == 't'
	return &b
}

// object takes a member that is an object itself; nil when it is absent.
func (o *object) object(name string) *object {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	if value.Kind() != '{' {
		o.note(name, "field.object")
		return nil
	}
	inner := newObject(o.at(name), value)
	inner.root = o.root
	return inner
}

// rawMember is a member that is passed on as it is.
type rawMember = jsontext.Value

// takeObject takes a member that is an object, as it is.
func (o *object) takeObject(name string) (rawMember, bool) {
	value, ok := o.take(name)
	if ok && value.Kind() != '{' {
		o.note(name, "field.object")
		return nil, false
	}
	return value, ok
}

// texts takes an array of strings, each one of allowed.
func (o *object) texts(name string, allowed ...string) []string {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	var list []string
	if value.Kind() != '[' || json.Unmarshal(value, &list) != nil {
		o.note(name, "field.strings")
		return nil
	}
	for _, s := range list {
		if !slices.Contains(allowed, s) {
			o.note(name, "field.choice")
			return nil
		}
	}
	return list
}

// refuse notes each of names that is present: they do not go with reason.
func (o *object) refuse(detail string, names ...string) {
	for _, name := range names {
		if _, present := o.take(name); present {
			o.note(name, detail)
		}
	}
}

// done notes every member that nobody took as unknown, and returns all that
// was noted as one request.invalid, in the order of the body's members.
func (o *object) done() error {
	o.unknown()
	return o.err()
}

// unknown notes the members that are left.
func (o *object) unknown() {
	for _, name := range o.order {
		if _, left := o.members[name]; left {
			o.note(name, "field.unknown")
		}
	}
}

// err is what was noted so far; nil when nothing was. Members that nobody
// took are passed over.
func (o *object) err() error {
	if len(o.root.fields) == 0 {
		return nil
	}
	return fault.Invalid(o.root.fields...)
}
