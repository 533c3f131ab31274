package request

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// JSON reads the body as one JSON object. A body that is no JSON, has a repeated member
// or goes on after its end is request.malformed; a wrong content type is
// request.media-type; too long a body is request.too-large.
func JSON(c *gin.Context) (*Object, error) {
	if err := requireType(c, "application/json"); err != nil {
		return nil, err
	}
	body, err := Body(c)
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(body)
	if !value.IsValid() {
		return nil, malformed(value.Format()) // whose error says what is wrong
	}
	if value.Kind() != '{' {
		return nil, Violation("", "field.object")
	}
	return newObject("", value, new([]fault.Field)), nil
}

// Body reads the body, whatever its type; too long a body is request.too-large.
func Body(c *gin.Context) ([]byte, error) {
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		return nil, readError(err)
	}
	return body, nil
}

// Decode reads the body as a JSON object and returns payload's result for it, with
// the errors of JSON and of payload.
func Decode[T any](c *gin.Context, payload func(*Object) (T, error)) (in T, err error) {
	body, err := JSON(c)
	if err != nil {
		return in, err
	}
	return payload(body)
}

// Form reads the body as a submitted form, with the same errors as JSON.
func Form(c *gin.Context) error {
	if err := requireType(c, "application/x-www-form-urlencoded"); err != nil {
		return err
	}
	if err := c.Request.ParseForm(); err != nil {
		return readError(err)
	}
	return nil
}

// Violation returns a request.invalid for one field: its JSON pointer, and the message id
// of its sentence (field.…).
func Violation(pointer, detail string) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Detail: detail})
}

func requireType(c *gin.Context, want string) error {
	got, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || got != want {
		return fault.New(fault.RequestMediaType)
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return fault.New(fault.RequestMediaType)
	}
	return nil
}

func readError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return fault.Wrap(fault.RequestMalformed, err)
}

func malformed(err error) error {
	e := fault.Wrap(fault.RequestMalformed, err)
	detail := "field.syntax"
	if errors.Is(err, jsontext.ErrDuplicateName) {
		detail = "field.duplicate"
	}
	pointer := ""
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		pointer = short(string(syntactic.JSONPointer))
	}
	e.Fields = []fault.Field{{Pointer: pointer, Detail: detail}}
	return e
}

// maxPointer limits the pointer that an answer repeats, in bytes.
const maxPointer = 256

// short cuts pointer to maxPointer bytes.
func short(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return strings.ToValidUTF8(pointer[:maxPointer], "")
}
