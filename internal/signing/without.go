package signing

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// Public is a package, which has to be valid JSON, without data.countersign, which is
// ours alone; every other byte stays as it is.
func Public(value jsontext.Value) (jsontext.Value, error) {
	if !mentions(value, "countersign") {
		return value, nil
	}
	return changeMember(value, "data", func(data jsontext.Value) (jsontext.Value, error) {
		return without(data, "countersign")
	})
}

// WithoutValues is a custom field, or a list of them, without the members value;
// every other byte stays as it is. platform.failed is JSON that cannot be read.
func WithoutValues(fields jsontext.Value) (jsontext.Value, error) {
	if fields.Kind() != '[' {
		return without(fields, "value")
	}
	return changeElements(fields, func(field jsontext.Value) (jsontext.Value, error) { return without(field, "value") })
}

// mentions reports whether name may be in value. It may also be spelled with
// escapes.
func mentions(value jsontext.Value, name string) bool {
	return bytes.Contains(value, []byte(name)) || bytes.Contains(value, []byte(`\u`))
}

// member is where a member of an object stands in its text.
type member struct {
	name             string
	begin, at, after int // of the name, of the value, behind it
}

// members are those of an object, up to the one that stop names, "" for all; of
// anything else there are none.
func members(value jsontext.Value, stop string) ([]member, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(value))
	if d.PeekKind() != '{' {
		return nil, nil
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, unreadable(err)
	}
	var all []member
	for d.PeekKind() == '"' {
		begin := int(d.InputOffset())
		token, err := d.ReadToken()
		if err != nil {
			return nil, unreadable(err)
		}
		one := member{name: token.String(), begin: begin + bytes.IndexByte(value[begin:], '"')}
		raw, err := d.ReadValue()
		if err != nil {
			return nil, unreadable(err)
		}
		one.after = int(d.InputOffset())
		one.at = one.after - len(raw)
		if all = append(all, one); stop != "" && one.name == stop {
			return all, nil
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, unreadable(err)
	}
	return all, nil
}

// without is an object without the member name; anything else is as it was.
func without(value jsontext.Value, name string) (jsontext.Value, error) {
	all, err := members(value, "")
	i := slices.IndexFunc(all, func(m member) bool { return m.name == name })
	if err != nil || i < 0 {
		return value, err
	}
	from, to := all[i].begin, all[i].after
	switch {
	case i > 0:
		from = all[i-1].after // with the comma before it
	case len(all) > 1:
		to = all[1].begin // with the comma behind it
	}
	return slices.Concat(value[:from], value[to:]), nil
}

// changeMember is an object whose member name is what change makes of it.
func changeMember(value jsontext.Value, name string, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	all, err := members(value, name)
	if err != nil || len(all) == 0 || all[len(all)-1].name != name {
		return value, err
	}
	m := all[len(all)-1]
	changed, err := change(value[m.at:m.after])
	return slices.Concat(value[:m.at], changed, value[m.after:]), err
}

// changeElements is an array whose elements are what change makes of them.
func changeElements(value jsontext.Value, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(value))
	if _, err := d.ReadToken(); err != nil {
		return nil, unreadable(err)
	}
	var out jsontext.Value
	done := 0
	for d.PeekKind() != ']' {
		element, err := d.ReadValue()
		if err != nil {
			return nil, unreadable(err)
		}
		after := int(d.InputOffset())
		changed, err := change(element)
		if err != nil {
			return nil, err
		}
		out = slices.Concat(out, value[done:after-len(element)], changed)
		done = after
	}
	return append(out, value[done:]...), nil
}

func unreadable(err error) error { return fault.Wrap(fault.PlatformFailed, err) }
