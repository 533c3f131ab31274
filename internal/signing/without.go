package signing

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Public is a package without data.countersign, which is ours alone; every other byte
// stays as it is where every reader takes the package, which becomes one that they do
// otherwise. platform.failed is what is not JSON from its first byte to its last.
func Public(value jsontext.Value) (jsontext.Value, error) {
	value, err := upstream.Tidy(value)
	if err != nil {
		return nil, unreadable(err)
	}
	switch {
	case value.Kind() != '{':
		return nil, unreadable(errors.New("a package is no object"))
	case !mentions(value, "countersign"):
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

// without is an object without the member name; anything else is as it was.
func without(value jsontext.Value, name string) (jsontext.Value, error) {
	all, err := members(value)
	if err != nil {
		return nil, unreadable(err)
	}
	i := slices.IndexFunc(all, func(m member) bool { return string(m.name) == name })
	if i < 0 {
		return value, nil
	}
	from, to := all[i].begin, all[i].after
	switch {
	case i > 0:
		from = all[i-1].after // with the comma before it
	case len(all) > 1:
		to = all[1].begin // with the comma behind it
	}
	cut := slices.Concat(value[:from], value[to:])
	if slices.ContainsFunc(all[i+1:], func(m member) bool { return string(m.name) == name }) {
		return without(cut, name)
	}
	return cut, nil
}

// changeMember is an object whose member name is what change makes of it.
func changeMember(value jsontext.Value, name string, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	all, err := members(value)
	if err != nil {
		return nil, unreadable(err)
	}
	return replace(value, slices.DeleteFunc(all, func(m member) bool { return string(m.name) != name }), change)
}

// changeElements is an array whose elements are what change makes of them.
func changeElements(value jsontext.Value, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	all, err := elements(value)
	if err != nil {
		return nil, unreadable(err)
	}
	return replace(value, all, change)
}

// replace is value with what change makes of some of its parts.
func replace(value jsontext.Value, parts []member, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	out, done := make(jsontext.Value, 0, len(value)), 0
	for _, m := range parts {
		changed, err := change(value[m.at:m.after])
		if err != nil {
			return nil, err
		}
		out = append(append(out, value[done:m.at]...), changed...)
		done = m.after
	}
	return append(out, value[done:]...), nil
}

func unreadable(err error) error { return fault.Wrap(fault.PlatformFailed, err) }
