package platform

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// Public returns a package without data.countersign, which is Countersign's own; every
// other byte stays if the package is strict JSON, and otherwise it is rewritten as strict
// JSON. A value that is not JSON as a whole is platform.failed. The result may be made in
// the value's own place.
func Public(value jsontext.Value) (jsontext.Value, error) {
	if ours, known := findOurs(value); known {
		return ours.cutFrom(value), nil
	}
	return public(value)
}

// public is Public for any package.
func public(value jsontext.Value) (jsontext.Value, error) {
	all, err := strictMembers(value) // which reads all of it, so that most packages are read once
	if err != nil {
		if value, err = payload.Tidy(value); err != nil {
			return nil, fault.Wrap(fault.PlatformFailed, err)
		}
		if all, err = strictMembers(value); err != nil {
			return nil, fault.Wrap(fault.PlatformFailed, err)
		}
	}
	switch {
	case value.Kind() != '{':
		return nil, fault.Wrap(fault.PlatformFailed, errors.New("a package is no object"))
	case !mentions(value, "countersign"):
		return value, nil
	}
	return changeMember(value, all, "data", func(data jsontext.Value) (jsontext.Value, error) {
		return without(data, "countersign")
	})
}

// WithoutValues returns a custom field, or a list of them, without the members value;
// every other byte stays. JSON that cannot be read is platform.failed.
func WithoutValues(fields jsontext.Value) (jsontext.Value, error) {
	if fields.Kind() != '[' {
		return without(fields, "value")
	}
	return changeElements(fields, func(field jsontext.Value) (jsontext.Value, error) { return without(field, "value") })
}

// mentions reports whether name may occur in value, where it may also be spelled with
// escapes.
func mentions(value jsontext.Value, name string) bool {
	return bytes.Contains(value, []byte(name)) || bytes.Contains(value, []byte(`\u`))
}

// without returns an object without the member name; any other value is returned as it
// is.
func without(value jsontext.Value, name string) (jsontext.Value, error) {
	all, err := members(value)
	if err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
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
		to = all[1].begin // with the comma after it
	}
	cut := slices.Concat(value[:from], value[to:])
	if slices.ContainsFunc(all[i+1:], func(m member) bool { return string(m.name) == name }) {
		return without(cut, name)
	}
	return cut, nil
}

// changeMember returns an object, of which all are the members, with its member name changed
// by change.
func changeMember(value jsontext.Value, all []member, name string, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	return replace(value, slices.DeleteFunc(all, func(m member) bool { return string(m.name) != name }), change)
}

// changeElements returns an array with its elements changed by change.
func changeElements(value jsontext.Value, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	all, err := elements(value)
	if err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	return replace(value, all, change)
}

// replace returns value with some of its parts changed by change.
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
