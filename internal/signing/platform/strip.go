package platform

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// Public returns a package without data.countersign, which is Countersign's own; every other
// byte stays, unless a text is not UTF-8 or data occurs twice: then the package is rewritten as
// strict JSON. A value that is not JSON as a whole is platform.failed. The result may be made in
// the value's own place.
func Public(value jsontext.Value) (jsontext.Value, error) {
	own, err := memberOf(value, "data") // which reads all of it, so that most packages are read once
	if err != nil {
		if value, err = payload.Tidy(value); err == nil {
			own, err = memberOf(value, "data")
		}
	}
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.PlatformFailed, err)
	case value.Kind() != '{':
		return nil, fault.Wrap(fault.PlatformFailed, errors.New("the package is not an object"))
	case !mentions(own.Value, "countersign"):
		return value, nil
	}
	data, err := stripMember(own.Value, "countersign")
	if err != nil {
		return nil, err
	}
	return append(append(value[:own.From], data...), value[own.To:]...), nil
}

// memberOf returns an object's member; a Part without a value if there is none. The error says
// that value is no JSON, that a text in it is not UTF-8, or that it has two members of that name.
func memberOf(value jsontext.Value, name string) (found payload.Part, err error) {
	for p, err := range payload.Parts(value, jsontext.AllowDuplicateNames(true)) {
		switch {
		case err != nil:
			return found, err
		case string(p.Name) != name:
		case found.Value != nil:
			return found, fmt.Errorf("there are two members %q", name)
		default:
			found = p
		}
	}
	return found, nil
}

// WithoutValues returns a custom field, or a list of them, without the members value;
// every other byte stays. JSON that cannot be read is platform.failed.
func WithoutValues(fields jsontext.Value) (jsontext.Value, error) {
	if fields.Kind() != '[' {
		return stripMember(fields, "value")
	}
	all, err := partsOf(fields)
	if err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	return change(fields, all, func(field jsontext.Value) (jsontext.Value, error) { return stripMember(field, "value") })
}

// partsOf returns the members of an object, or the elements of an array; the error says that value
// is no JSON.
func partsOf(value jsontext.Value) (all []payload.Part, err error) {
	for p, err := range payload.Parts(value, payload.Tolerant()) {
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// mentions reports whether name may occur in value, where it may also be spelled with
// escapes.
func mentions(value jsontext.Value, name string) bool {
	return bytes.Contains(value, []byte(name)) || bytes.Contains(value, []byte(`\u`))
}

// stripMember returns an object without the member name; any other value is returned as it
// is.
func stripMember(value jsontext.Value, name string) (jsontext.Value, error) {
	if value.Kind() != '{' {
		return value, nil
	}
	all, err := partsOf(value)
	if err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	isIt := func(p payload.Part) bool { return string(p.Name) == name }
	i := slices.IndexFunc(all, isIt)
	if i < 0 {
		return value, nil
	}
	from, to := all[i].Begin, all[i].To
	switch {
	case i > 0:
		from = all[i-1].To // with the comma before it
	case len(all) > 1:
		to = all[1].Begin // with the comma after it
	}
	cut := slices.Concat(value[:from], value[to:])
	if slices.ContainsFunc(all[i+1:], isIt) {
		return stripMember(cut, name)
	}
	return cut, nil
}

// change returns value with some of its parts changed by how.
func change(value jsontext.Value, parts []payload.Part, how func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	out, done := make(jsontext.Value, 0, len(value)), 0
	for _, p := range parts {
		changed, err := how(p.Value)
		if err != nil {
			return nil, err
		}
		out = append(append(out, value[done:p.From]...), changed...)
		done = p.To
	}
	return append(out, value[done:]...), nil
}
