package ceremony

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNotObject = errors.New("not a JSON object")
	errNotArray  = errors.New("not a JSON array")
)

// rewrite returns a JSON object with the values that change gives, and every
// other byte as it was: order of members, white space, spelling. Both value and
// result are raw JSON.
func rewrite(object []byte, change func(name string, value []byte) ([]byte, error)) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if d.PeekKind() != '{' {
		return nil, errNotObject
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var out []byte
	copied := 0
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		member := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(d.InputOffset())
		changed, err := change(member, bytes.Clone(value))
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", member, err)
		}
		out = append(append(out, object[copied:end-len(value)]...), changed...)
		copied = end
	}
	if err := finish(d); err != nil {
		return nil, err
	}
	return append(out, object[copied:]...), nil
}

// elements returns the raw values of a JSON array, and the white space before
// the first and after the last of them; without values all of it is after.
func elements(array []byte) (values [][]byte, before, after []byte, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(array))
	if d.PeekKind() != '[' {
		return nil, nil, nil, errNotArray
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, nil, nil, err
	}
	opened := int(d.InputOffset())
	end := opened
	for k := d.PeekKind(); k != ']' && k != 0; k = d.PeekKind() {
		value, err := d.ReadValue()
		if err != nil {
			return nil, nil, nil, err
		}
		end = int(d.InputOffset())
		if len(values) == 0 {
			before = array[opened : end-len(value)]
		}
		values = append(values, bytes.Clone(value))
	}
	if err := finish(d); err != nil {
		return nil, nil, nil, err
	}
	after = array[end : int(d.InputOffset())-1]
	return values, before, after, nil
}

// finish reads the end of the object or array that d is in.
func finish(d *jsontext.Decoder) error {
	_, err := d.ReadToken()
	return err
}

// compose is the way back from elements: an array laid out as the other one was.
func compose(values [][]byte, before, after []byte) []byte {
	separator := append([]byte{','}, before...)
	out := append([]byte{'['}, before...)
	out = append(out, bytes.Join(values, separator)...)
	return append(append(out, after...), ']')
}

// onElements changes each value of an array and leaves what is around them.
func onElements(array []byte, change func(value []byte) ([]byte, error)) ([]byte, error) {
	values, before, after, err := elements(array)
	if err != nil {
		return nil, err
	}
	for i := range values {
		if values[i], err = change(values[i]); err != nil {
			return nil, err
		}
	}
	return compose(values, before, after), nil
}

// replaceOne cuts an array down to its first value, changed.
func replaceOne(array []byte, change func(value []byte) ([]byte, error)) ([]byte, error) {
	values, before, after, err := elements(array)
	if err != nil || len(values) == 0 {
		return array, err
	}
	first, err := change(values[0])
	if err != nil {
		return nil, err
	}
	return compose([][]byte{first}, before, after), nil
}
