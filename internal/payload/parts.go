package payload

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Part is a member of an object, or an element of an array, which has no name.
type Part struct {
	Name  []byte         // a part of the text, if it has no escapes
	Value jsontext.Value // a part of the text
	Place                // of the value, in the text
	Begin int            // where the name begins, or an element
}

// Parts yields the members of an object, or the elements of an array, in their order; any other
// value has none. If one cannot be read, or something follows the value, the last that is yielded
// is the error.
func Parts(text []byte, how ...jsontext.Options) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		d, _ := decoders.Get().(*jsontext.Decoder)
		d.Reset(bytes.NewBuffer(text), how...)
		defer func() {
			d.Reset(nothing) // keeps none of the text
			decoders.Put(d)
		}()
		start, err := d.ReadToken()
		kind := start.Kind()
		if err == nil && kind != '{' && kind != '[' {
			return
		}
		for err == nil && d.PeekKind() != '}' && d.PeekKind() != ']' {
			var p Part
			if p, err = nextPart(d, text, kind == '{'); err != nil {
				break
			}
			if !yield(p, nil) {
				return
			}
		}
		if err == nil {
			err = lastToken(d)
		}
		if err != nil {
			yield(Part{}, err)
		}
	}
}

// decoders saves the tables in which a decoder looks for duplicate names.
var (
	decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(nothing) }}
	nothing  = strings.NewReader("")
)

// nextPart reads a part of text.
func nextPart(d *jsontext.Decoder, text []byte, named bool) (p Part, err error) {
	if named {
		quoted, err := d.ReadValue()
		if err != nil {
			return p, err
		}
		end := int(d.InputOffset())
		p.Begin = end - len(quoted)
		if p.Name = text[p.Begin+1 : end-1]; bytes.IndexByte(p.Name, '\\') >= 0 {
			p.Name, _ = jsontext.AppendUnquote(nil, quoted) // it was read as a string
		}
	}
	value, err := d.ReadValue()
	p.To = int(d.InputOffset())
	p.From = p.To - len(value)
	p.Value = text[p.From:p.To:p.To]
	if !named {
		p.Begin = p.From
	}
	return p, err
}

// lastToken reads the end of an object or array, after which nothing may follow.
func lastToken(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("trailing data after the JSON value")
	}
	return nil
}
