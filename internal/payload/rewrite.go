package payload

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Rewrite returns a JSON text without the members and elements that are null, in which
// change, unless it is nil, has replaced the other values that are neither objects nor
// arrays. White space goes; everything else stays as it is, in its order. The error is
// change's, or means that text is no JSON.
func Rewrite(text []byte, change func(jsontext.Pointer, jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	var out bytes.Buffer
	w := rewriter{
		from:   jsontext.NewDecoder(bytes.NewReader(text)),
		to:     jsontext.NewEncoder(&out, jsontext.PreserveRawStrings(true)),
		change: change,
	}
	if err := w.value(); err != nil {
		return nil, err
	}
	if _, err := w.from.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing data after the JSON value")
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

type rewriter struct {
	from   *jsontext.Decoder
	to     *jsontext.Encoder
	change func(jsontext.Pointer, jsontext.Value) (jsontext.Value, error)
}

func (w rewriter) value() error {
	switch w.from.PeekKind() {
	case '{':
		return w.parts('}', w.member)
	case '[':
		return w.parts(']', w.element)
	}
	value, err := w.from.ReadValue()
	if err == nil && w.change != nil {
		value, err = w.change(w.from.StackPointer(), value)
	}
	if err != nil {
		return err
	}
	return w.to.WriteValue(value)
}

// parts copies an object or an array, from its first token to the one of kind end.
func (w rewriter) parts(end jsontext.Kind, part func() error) error {
	err := w.token()
	for err == nil && w.from.PeekKind() != end {
		err = part()
	}
	if err != nil {
		return err
	}
	return w.token()
}

func (w rewriter) token() error {
	token, err := w.from.ReadToken()
	if err != nil {
		return err
	}
	return w.to.WriteToken(token)
}

func (w rewriter) member() error {
	name, err := w.from.ReadValue()
	if err != nil {
		return err
	}
	name = name.Clone()
	if w.from.PeekKind() == 'n' {
		return w.from.SkipValue()
	}
	if err := w.to.WriteValue(name); err != nil {
		return err
	}
	return w.value()
}

func (w rewriter) element() error {
	if w.from.PeekKind() == 'n' {
		return w.from.SkipValue()
	}
	return w.value()
}
