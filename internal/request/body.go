package request

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// JSON reads the body as one JSON object. A body that is no JSON, has a repeated member
// or goes on after its end is request.malformed; a wrong content type is
// request.media-type; too long a body is request.too-large.
func JSON(c *gin.Context) (payload.Object, error) {
	if err := RequireType(c.Request, JSONType); err != nil {
		return payload.Object{}, err
	}
	body, err := Body(c)
	if err != nil {
		return payload.Object{}, err
	}
	if err := payload.WellFormed(body); err != nil {
		return payload.Object{}, err
	}
	violations := new(payload.Violations)
	whole, ok := violations.Examine(body).Object()
	if !ok {
		return payload.Object{}, violations.Err()
	}
	return whole, nil
}

// mostAnnounced limits the memory, in bytes, that a body takes before it has come.
const mostAnnounced = 8 << 10

// Body reads the body, whatever its type; too long a body is request.too-large.
func Body(c *gin.Context) ([]byte, error) {
	var body bytes.Buffer
	if n := c.Request.ContentLength; n > 0 { // room for all of it at once
		body.Grow(int(min(n, mostAnnounced)) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(c.Request.Body); err != nil {
		return nil, payload.ReadFailed(err, unreadable)
	}
	return body.Bytes(), nil
}

// Decode reads the body as a JSON object and returns read's result for it, with the
// errors of JSON and of read.
func Decode[T any](c *gin.Context, read func(payload.Object) (T, error)) (in T, err error) {
	body, err := JSON(c)
	if err != nil {
		return in, err
	}
	return read(body)
}

// Form reads the body as a submitted form, with the same errors as JSON.
func Form(c *gin.Context) error {
	if err := RequireType(c.Request, "application/x-www-form-urlencoded"); err != nil {
		return err
	}
	if err := c.Request.ParseForm(); err != nil {
		return payload.ReadFailed(err, unreadable)
	}
	return nil
}

// RequireType returns request.media-type unless the body is of the type want. It allows
// parameters, such as the SDKs' esl-api-version, but no charset other than UTF-8.
func RequireType(r *http.Request, want string) error {
	got, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || got != want {
		return fault.New(fault.RequestMediaType)
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return fault.New(fault.RequestMediaType)
	}
	return nil
}

// unreadable returns the fault for a body that could not be read to its end.
func unreadable(err error) error { return fault.Wrap(fault.RequestMalformed, err) }
