package handlers

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

// readJSON reads the body as one JSON object. What is no JSON, has a member
// twice or goes on behind its end is request.malformed; a wrong content type
// is request.media-type; too long a body request.too-large.
func readJSON(c *gin.Context) (*object, error) {
	if err := requireType(c, "application/json"); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		return nil, readError(err)
	}
	value := jsontext.Value(body)
	if err := value.Format(); err != nil {
		return nil, malformed(err)
	}
	if value.Kind() != '{' {
		return nil, violation("", "field.object")
	}
	return newObject("", value), nil
}

// readForm reads the body as a form of the page at hand.
func readForm(c *gin.Context) error {
	if err := requireType(c, "application/x-www-form-urlencoded"); err != nil {
		return err
	}
	if err := c.Request.ParseForm(); err != nil {
		return readError(err)
	}
	return nil
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

// pointerLimit is the longest pointer that an answer repeats, in bytes.
const pointerLimit = 256

// short is pointer, or where it begins: a deep body does not come back whole.
func short(pointer string) string {
	if len(pointer) <= pointerLimit {
		return pointer
	}
	return strings.ToValidUTF8(pointer[:pointerLimit], "")
}

func violation(pointer, detail string) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Detail: detail})
}
