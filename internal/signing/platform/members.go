package platform

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// strict accepts only JSON that every reader accepts. payload.Tolerant also accepts a
// repeated member or half a surrogate, as the platform may send them: neither is a reason
// to show nothing of it. Bytes that are not UTF-8 were replaced before, by utf8Text.
var strict = jsontext.AllowDuplicateNames(false)

// member is the position of an object's member, or of an array's element, in its text.
type member struct {
	name             []byte
	begin, at, after int // the start of the name, the start and the end of the value
}

// members returns the members of an object; nil for any other value.
func members(value jsontext.Value) ([]member, error) {
	return membersBy(jsontext.NewDecoder(bytes.NewBuffer(value), payload.Tolerant()), value)
}

// strictMembers is members for strict JSON; the error says that value is none.
func strictMembers(value jsontext.Value) ([]member, error) {
	d, _ := strictDecoders.Get().(*jsontext.Decoder)
	d.Reset(bytes.NewBuffer(value))
	defer func() {
		d.Reset(nothing) // keeps none of the value
		strictDecoders.Put(d)
	}()
	return membersBy(d, value)
}

// strictDecoders saves the tables in which a decoder looks for duplicate names.
var (
	strictDecoders = sync.Pool{New: func() any { return jsontext.NewDecoder(nothing) }}
	nothing        = strings.NewReader("")
)

// membersBy is members with a decoder of value.
func membersBy(d *jsontext.Decoder, value jsontext.Value) ([]member, error) {
	if d.PeekKind() != '{' {
		return nil, nil
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	all := make([]member, 0, min(32, 1+len(value)/50)) // about as many as it has
	for d.PeekKind() == '"' {
		name, err := next(d)
		if err != nil {
			return nil, err
		}
		one, err := next(d)
		if err != nil {
			return nil, err
		}
		one.name, one.begin = nameIn(value[name.at:name.after]), name.at
		all = append(all, one)
	}
	return all, ends(d)
}

// nameIn returns a name without its quotes, if possible as a slice of quoted.
func nameIn(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	name, _ := jsontext.AppendUnquote(nil, quoted) // It was read as a string.
	return name
}

// elements returns the elements of an array.
func elements(value jsontext.Value) ([]member, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(value), payload.Tolerant())
	if d.PeekKind() != '[' {
		return nil, errors.New("it is no array")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var all []member
	for d.PeekKind() != ']' {
		one, err := next(d)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, ends(d)
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
		return errors.New("there is something behind its end")
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
