package signing

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// keep appends what of a value is shown. It is false where nothing is, and then the
// member or element is left out.
type keep func(out []byte, value jsontext.Value) ([]byte, bool)

// whole keeps a value as it is.
func whole(out []byte, value jsontext.Value) ([]byte, bool) { return append(out, value...), true }

// shape is which members of an object are kept; the others, those that nobody
// knows included, are left out.
type shape map[string]keep

// wholes is a shape that keeps these members as they are.
func wholes(names ...string) shape {
	s := shape{}
	for _, name := range names {
		s[name] = whole
	}
	return s
}

// with is s with another member.
func (s shape) with(name string, how keep) shape {
	s[name] = how
	return s
}

// object keeps an object, its members as s says. Anything but an object or null
// is left out.
func (s shape) object(out []byte, value jsontext.Value) ([]byte, bool) {
	if value.Kind() == 'n' {
		return whole(out, value)
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(value))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return out, false
	}
	out = append(out, '{')
	first := true
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return out, false
		}
		name := token.String()
		how, kept := s[name]
		member, err := d.ReadValue()
		if err != nil {
			return out, false
		}
		if !kept {
			continue
		}
		before := len(out)
		if !first {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, name)
		if out, kept = how(append(out, ':'), member); !kept {
			out = out[:before]
			continue
		}
		first = false
	}
	return append(out, '}'), true
}

// list keeps an array, each element as how says. Anything but an array is left
// out.
func list(how keep) keep {
	return func(out []byte, value jsontext.Value) ([]byte, bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(value))
		if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
			return out, false
		}
		out = append(out, '[')
		first := true
		for d.PeekKind() != ']' {
			element, err := d.ReadValue()
			if err != nil {
				return out, false
			}
			before := len(out)
			if !first {
				out = append(out, ',')
			}
			var kept bool
			if out, kept = how(out, element); kept {
				first = false
			} else {
				out = out[:before]
			}
		}
		return append(out, ']'), true
	}
}
