package signing

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// keep appends the visible part of a value to out. It returns false if nothing is
// visible, and the member or element is then left out.
type keep func(out []byte, value jsontext.Value) ([]byte, bool)

// verbatim keeps a value as it is.
func verbatim(out []byte, value jsontext.Value) ([]byte, bool) { return append(out, value...), true }

// shape maps the members of an object that are kept to how; all others, unknown ones
// included, are left out.
type shape map[string]keep

// verbatimMembers returns a shape that keeps these members as they are.
func verbatimMembers(names ...string) shape {
	s := shape{}
	for _, name := range names {
		s[name] = verbatim
	}
	return s
}

// with adds a member to s and returns s.
func (s shape) with(name string, how keep) shape {
	s[name] = how
	return s
}

// object keeps an object with the members of s. Anything but an object or null is left
// out.
func (s shape) object(out []byte, value jsontext.Value) ([]byte, bool) {
	if value.Kind() == 'n' {
		return verbatim(out, value)
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

// list keeps an array with each element kept as how does. Anything but an array is left
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
