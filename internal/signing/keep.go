package signing

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
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
	if value.Kind() != '{' {
		return out, false
	}
	out = append(out, '{')
	first := true
	for member, err := range payload.Parts(value) {
		if err != nil {
			return out, false
		}
		how, kept := s[string(member.Name)]
		if !kept {
			continue
		}
		before := len(out)
		if !first {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, member.Name)
		if out, kept = how(append(out, ':'), member.Value); !kept {
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
		if value.Kind() != '[' {
			return out, false
		}
		out = append(out, '[')
		first := true
		for element, err := range payload.Parts(value) {
			if err != nil {
				return out, false
			}
			before := len(out)
			if !first {
				out = append(out, ',')
			}
			var kept bool
			if out, kept = how(out, element.Value); kept {
				first = false
			} else {
				out = out[:before]
			}
		}
		return append(out, ']'), true
	}
}
