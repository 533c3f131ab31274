package payload

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Object is a JSON object under examination. Its members are read one by one, each by its
// rule, and a violation is noted at the member. A member that is null counts as absent.
type Object struct {
	Value

	members map[string]*member
	names   []string
}

// member is a member of an object.
type member struct {
	Place // in the object's text

	read bool
}

// Note notes that the member violates a rule or is missing; detail is the message id of its
// sentence (field.…).
func (o Object) Note(name, detail string) {
	o.violations.Note(o.pointer+"/"+escaper.Replace(name), detail)
}

// NoteSelf notes that the object as a whole violates a rule.
func (o Object) NoteSelf(detail string) { o.Value.Note(detail) }

// Names returns the names of the members, also of those that are null, in their order.
func (o Object) Names() []string { return o.names }

// RawMember returns the member, also if it is null; false if it is absent.
func (o Object) RawMember(name string) (Value, bool) {
	m := o.members[name]
	if m == nil {
		return Value{}, false
	}
	m.read = true
	return o.part(name, m.Place), true
}

// Member returns the member; false if it is absent.
func (o Object) Member(name string) (Value, bool) {
	v, ok := o.RawMember(name)
	return v, ok && v.Kind() != 'n'
}

// Has reports whether the member is present.
func (o Object) Has(name string) bool {
	_, ok := o.Member(name)
	return ok
}

// Text returns a string; with allowed values it must be one of those. It returns false if
// the member is absent or violates the rule.
func (o Object) Text(name string, allowed ...string) (string, bool) {
	v, ok := o.Member(name)
	if !ok {
		return "", false
	}
	text, ok := v.Text()
	if ok && len(allowed) > 0 && !slices.Contains(allowed, text) {
		v.Note("field.choice")
		return "", false
	}
	return text, ok
}

// OptionalStrings checks that the members, if present, are strings.
func (o Object) OptionalStrings(names ...string) {
	for _, name := range names {
		o.Text(name)
	}
}

// StringOrEmpty returns a string; "" for any other value, which is noted elsewhere.
func (o Object) StringOrEmpty(name string) string {
	if v, ok := o.Member(name); ok {
		return v.StringOrEmpty()
	}
	return ""
}

// Required returns a string that must be present; with allowed values it must be one of
// those.
func (o Object) Required(name string, allowed ...string) string {
	if !o.Has(name) {
		o.Note(name, "field.required")
		return ""
	}
	text, _ := o.Text(name, allowed...)
	return text
}

// NonEmpty returns a string that must be present and not empty.
func (o Object) NonEmpty(name string) string {
	text := o.Required(name)
	if v, ok := o.Member(name); ok && v.Kind() == '"' && text == "" {
		v.Note("field.empty")
	}
	return text
}

// Sized checks that a string, if present, has 1 to most characters; detail is the message id
// of the rule.
func (o Object) Sized(name string, most int, detail string) { o.Between(name, 1, most, detail) }

// Between returns a string that, if present, has least to most characters; detail is the
// message id of the rule.
func (o Object) Between(name string, least, most int, detail string) (text string, ok bool) {
	text, ok = o.Text(name)
	if n := utf8.RuneCountInString(text); ok && (n < least || n > most) {
		o.Note(name, detail)
	}
	return text, ok
}

// Boolean returns a boolean; nil if it is absent.
func (o Object) Boolean(name string) *bool {
	v, ok := o.Member(name)
	if !ok {
		return nil
	}
	kind := v.Kind()
	if kind != 't' && kind != 'f' {
		v.Note("field.boolean")
		return nil
	}
	isTrue := kind == 't'
	return &isTrue
}

// Booleans checks that the members, if present, are booleans.
func (o Object) Booleans(names ...string) {
	for _, name := range names {
		o.Boolean(name)
	}
}

// Is reports whether the member is true.
func (o Object) Is(name string) bool {
	v, ok := o.Member(name)
	return ok && v.Kind() == 't'
}

// Number returns a number; false if it is absent, or no number, which it notes.
func (o Object) Number(name string) (float64, bool) {
	v, ok := o.Member(name)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseFloat(string(v.text), 64)
	if v.Kind() != '0' || err != nil {
		v.Note("field.number")
		return 0, false
	}
	return number, true
}

// Whole returns a whole number from zero on; false if the member is absent, or no such
// number, which it notes. A number too large for a float64 is infinite.
func (o Object) Whole(name string) (float64, bool) {
	v, ok := o.Member(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v.text), 64)
	switch {
	case v.Kind() != '0', err != nil && !math.IsInf(n, 0):
		v.Note("field.number")
	case n < 0, n != math.Trunc(n):
		v.Note("field.count")
	default:
		return n, true
	}
	return 0, false
}

// Object returns a member that is an object; false if it is absent, or no object, which it
// notes.
func (o Object) Object(name string) (Object, bool) {
	v, ok := o.Member(name)
	if !ok {
		return Object{}, false
	}
	return v.Object()
}

// Elements yields the elements of a member that, if present, is an array.
func (o Object) Elements(name string) iter.Seq[Value] {
	if v, ok := o.Member(name); ok {
		return v.Elements()
	}
	return func(func(Value) bool) {}
}

// Objects yields the elements of a member that, if present, is an array of objects. It notes
// other elements.
func (o Object) Objects(name string) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for v := range o.Elements(name) {
			if one, ok := v.Object(); ok && !yield(one) {
				return
			}
		}
	}
}

// Choices returns an array of strings, each one of allowed; nil if it is absent or violates
// the rule.
func (o Object) Choices(name string, allowed ...string) (all []string) {
	v, ok := o.Member(name)
	if !ok {
		return nil
	}
	if v.Kind() != '[' {
		v.Note("field.strings")
		return nil
	}
	for element := range v.Elements() {
		switch text := element.StringOrEmpty(); {
		case element.Kind() != '"':
			v.Note("field.strings")
			return nil
		case !slices.Contains(allowed, text):
			v.Note("field.choice")
			return nil
		default:
			all = append(all, text)
		}
	}
	return all
}

// Refuse notes detail for each of the names that is present.
func (o Object) Refuse(detail string, names ...string) {
	for _, name := range names {
		if o.Has(name) {
			o.Note(name, detail)
		}
	}
}

// Unknown notes the members that were not read.
func (o Object) Unknown() {
	for _, name := range o.names {
		if !o.members[name].read {
			o.Note(name, "field.unknown")
		}
	}
}

// Err returns what was noted in the whole payload so far as one request.invalid; nil if that
// is nothing.
func (o Object) Err() error { return o.violations.Err() }

// Done calls Unknown and returns Err.
func (o Object) Done() error {
	o.Unknown()
	return o.Err()
}
