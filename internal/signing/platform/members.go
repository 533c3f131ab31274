package platform

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// strict accepts only JSON that every reader accepts. payload.Tolerant also accepts a
// repeated member or half a surrogate, as the platform may send them: neither is a reason
// to show nothing of it. Bytes that are not UTF-8 were replaced before, by utf8Text.
var strict = jsontext.AllowDuplicateNames(false)

// member is the position of a value in its text.
type member struct{ at, after int }

// nameIn returns a name without its quotes, if possible as a slice of quoted.
func nameIn(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	name, _ := jsontext.AppendUnquote(nil, quoted) // It was read as a string.
	return name
}

// next returns the position of the next value.
func next(d *jsontext.Decoder) (member, error) {
	value, err := d.ReadValue()
	after := int(d.InputOffset())
	return member{at: after - len(value), after: after}, err
}

// ends reads the end of an object or array, after which nothing may follow.
func ends(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("trailing data after the JSON value")
	}
	return nil
}

// utf8Text returns a response of the platform without a byte order mark, and with U+FFFD
// for bytes that are not UTF-8.
func utf8Text(body []byte) []byte {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte("\ufffd"))
}
