package payload

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

const (
	// maxViolations limits the violations that an answer names.
	maxViolations = 20
	// maxPointer limits the pointer that an answer repeats, in bytes.
	maxPointer = 256
)

// Violations collects what is wrong with one payload: the first violation at each pointer,
// in the order of the rules, and at most 20. The zero value is empty.
type Violations struct{ fields []fault.Field }

// Examine returns the value that a well-formed text holds, whose violations v collects.
func (v *Violations) Examine(text jsontext.Value) Value {
	return Value{text: text, violations: v}
}

// Note notes that the value at the pointer (RFC 6901) violates a rule; detail is the message
// id of its sentence (field.…).
func (v *Violations) Note(pointer, detail string) {
	field := violation(pointer, detail)
	noted := func(other fault.Field) bool { return other.Pointer == field.Pointer }
	if len(v.fields) < maxViolations && !slices.ContainsFunc(v.fields, noted) {
		v.fields = append(v.fields, field)
	}
}

// Err returns what was noted so far as one request.invalid; nil if that is nothing.
func (v *Violations) Err() error {
	if len(v.fields) == 0 {
		return nil
	}
	return fault.Invalid(v.fields...)
}

// Violation returns a request.invalid for one value: its JSON pointer, and the message id
// of its sentence (field.…).
func Violation(pointer, detail string) error { return fault.Invalid(violation(pointer, detail)) }

func violation(pointer, detail string) fault.Field {
	return fault.Field{Pointer: strings.ToValidUTF8(pointer[:min(len(pointer), maxPointer)], ""), Detail: detail}
}

// Malformed returns request.malformed for a text that is no JSON, with the place of the
// error, if it has one.
func Malformed(err error) error {
	e := fault.Wrap(fault.RequestMalformed, err)
	if errors.Is(err, ErrTooDeep) {
		return e
	}
	field := fault.Field{Detail: "field.syntax"}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		field.Detail = "field.duplicate"
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		field = violation(string(syntactic.JSONPointer), field.Detail)
	}
	e.Fields = []fault.Field{field}
	return e
}

// ReadFailed returns the fault for a body that could not be read to its end: a *fault.Error
// as it is, request.too-large, or else what malformed makes of it.
func ReadFailed(err error, malformed func(error) error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok || err == nil {
		return err
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return malformed(err)
}
