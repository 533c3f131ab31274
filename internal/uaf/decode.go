package uaf

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// strict refuses null and empty lists wherever a known member has one: no member
// of the protocol's dictionaries can be either, and a pointer field would take
// null for an absent member. Duplicate names, invalid UTF-8, numbers for strings and text
// after the message are refused by the library; unknown members are ignored, as
// dictionaries ask.
var strict = json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, _ any) error {
	if dec.PeekKind() == jsontext.KindNull {
		return errNull
	}
	return errors.ErrUnsupported // go on with the type's own decoding
}))

var (
	errNull    = errors.New("null where a value belongs")
	errMissing = errors.New("a required member is missing")
)

// list is a member that holds a list, which [strict] requires not to be empty.
type list[T any] []T

// UnmarshalJSONFrom reads an array.
func (l *list[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := json.UnmarshalDecode(dec, (*[]T)(l)); err != nil {
		return err
	}
	_, isStrict := json.GetOption(dec.Options(), json.WithUnmarshalers)
	if isStrict && len(*l) == 0 {
		return unacceptable("an empty list")
	}
	return nil
}

// text is a string that may be absent but not empty.
type text string

// UnmarshalJSONFrom reads a string.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := json.UnmarshalDecode(dec, (*string)(t)); err != nil {
		return err
	}
	if *t == "" {
		return unacceptable("an empty string")
	}
	return nil
}

// decodeJSON decodes data into v. The error is 1400 for text that is not JSON, and 1498,
// with the JSON pointer of the place, for JSON that violates the protocol. name is for
// the error.
func decodeJSON(name string, data []byte, v any, options ...json.Options) error {
	err := json.Unmarshal(data, v, options...)
	if err == nil {
		return nil
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return refuseCause(StatusBadRequest, syntactic.Err, "%s is not JSON, at %.128q", name, syntactic.JSONPointer)
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return refuseCause(StatusUnacceptableContent, err, "%s", name)
	}
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refuseCause(refusal.Status, refusal.Cause, "%s, at %.128q: %s", name, semantic.JSONPointer, refusal.Reason)
	}
	// The error's own text may quote the value, which must not be logged.
	return refuseCause(StatusUnacceptableContent, semantic.Err,
		"%s: %s does not belong at %.128q", name, kindName(semantic.JSONKind), semantic.JSONPointer)
}

func kindName(kind jsontext.Kind) string {
	if kind == 0 {
		return "what is there"
	}
	return kind.String()
}
