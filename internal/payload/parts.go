package payload

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Part is a member of an object, or an element of an array, which has no name.
type Part struct {
	Name  string
	Value jsontext.Value // a part of the text
	Place                // of the value, in the text
}

// Parts yields the members of an object, or the elements of an array, in their order; any other
// value has none. If one cannot be read, the last that is yielded is the error.
func Parts(text []byte, how ...jsontext.Options) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(text), how...)
		start, err := d.ReadToken()
		kind := start.Kind()
		if err == nil && kind != '{' && kind != '[' {
			return
		}
		for err == nil && d.PeekKind() != '}' && d.PeekKind() != ']' {
			var p Part
			if p, err = nextPart(d, kind == '{'); err != nil {
				break
			}
			p.Value = text[p.From:p.To:p.To]
			if !yield(p, nil) {
				return
			}
		}
		if err == nil {
			_, err = d.ReadToken() // the end
		}
		if err != nil {
			yield(Part{}, err)
		}
	}
}

func nextPart(d *jsontext.Decoder, named bool) (p Part, err error) {
	if named {
		name, err := d.ReadToken()
		if err != nil {
			return p, err
		}
		p.Name = name.String()
	}
	value, err := d.ReadValue()
	p.To = int(d.InputOffset())
	p.From = p.To - len(value)
	return p, err
}
