package payload

import (
	"bytes"
	"encoding"
	"errors"
	"math"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalLenient decodes JSON of the platform into a struct as it comes: a value of another
// kind than its Go type is for (an object for a struct, an array for a slice, a whole number for
// an int) is read as the zero value, and so is null. The error means that text is not JSON.
func UnmarshalLenient(text []byte, into any) error { return json.Unmarshal(text, into, lenient) }

// UnmarshalStrict is UnmarshalLenient, but a text, an object or an array in the place of
// something else is an error: who it concerns and what it asks for would be read as nobody and
// nothing. Numbers, booleans and times stay lenient.
func UnmarshalStrict(text []byte, into any) error { return json.Unmarshal(text, into, strict) }

var (
	lenient = json.JoinOptions(tolerant, json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, out any) error {
		return readKind(d, out, false)
	})))
	strict = json.JoinOptions(tolerant, json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, out any) error {
		return readKind(d, out, true)
	})))
)

// readKind skips a value whose kind is not the one that *out is for, unless strict leaves that
// to be refused.
func readKind(d *jsontext.Decoder, out any, strict bool) error {
	kind := d.PeekKind()
	switch into := out.(type) {
	case *string:
		return skipUnless(d, out, strict || kind == '"')
	case *bool:
		return skipUnless(d, out, kind == 't' || kind == 'f')
	case *float64:
		value, err := d.ReadValue()
		*into, _ = strconv.ParseFloat(string(value), 64)
		if math.IsInf(*into, 0) {
			*into = 0
		}
		return err
	case *int:
		return readInt(d, into)
	case json.Unmarshaler, json.UnmarshalerFrom: // it reads any kind
		return errors.ErrUnsupported
	case encoding.TextUnmarshaler:
		return skipUnless(d, out, kind == '"')
	}
	switch reflect.TypeOf(out).Elem().Kind() {
	case reflect.Struct:
		reflect.ValueOf(out).Elem().SetZero() // of a member that is repeated, the last one counts
		return skipUnless(d, out, strict || kind == '{')
	case reflect.Map:
		return skipUnless(d, out, strict || kind == '{')
	case reflect.Slice:
		return skipUnless(d, out, strict || kind == '[')
	}
	return errors.ErrUnsupported
}

// skipUnless leaves the value to its type if ok, else *out is zero.
func skipUnless(d *jsontext.Decoder, out any, ok bool) error {
	if ok {
		return errors.ErrUnsupported
	}
	reflect.ValueOf(out).Elem().SetZero()
	return d.SkipValue()
}

// Tidy returns value as JSON that every reader accepts: of duplicate members the last one
// stays, and U+FFFD replaces bytes that are not UTF-8. The error means that value is not
// JSON.
func Tidy(value jsontext.Value) (jsontext.Value, error) {
	if value.IsValid() {
		return value, nil
	}
	var any any
	if err := json.Unmarshal(value, &any, anything); err != nil {
		return nil, err
	}
	return json.Marshal(any, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// anything reads numbers as they are written.
var anything = json.JoinOptions(tolerant, json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, out *any) error {
	if d.PeekKind() != '0' {
		*out = nil // drops the member's first value
		return errors.ErrUnsupported
	}
	number, err := d.ReadValue()
	*out = number.Clone()
	return err
})))

// readInt reads a whole number; anything else is 0, and so is one that is too large.
func readInt(d *jsontext.Decoder, out *int) error {
	value, err := d.ReadValue()
	n, wrong := strconv.Atoi(string(value))
	if wrong != nil {
		n = 0
	}
	*out = n
	return err
}

// tolerant accepts what a strict reader refuses: bytes that are not UTF-8, and duplicate
// members.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Tolerant returns the options of a reader that accepts duplicate members and texts that
// are not UTF-8, as the platform may send them.
func Tolerant() json.Options { return tolerant }

// Unmarshal decodes JSON of the platform like json.Unmarshal, with Tolerant.
func Unmarshal(text []byte, into any) error { return json.Unmarshal(text, into, tolerant) }

// Members reads the members of a JSON object; if the object breaks off, the members
// before the break. Anything else has none.
func Members(body []byte) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if jsontext.Value(body).Kind() == '{' {
		for p, err := range Parts(body, tolerant) {
			if err == nil {
				members[string(p.Name)] = p.Value.Clone()
			}
		}
	}
	return members
}
