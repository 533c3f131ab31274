package request

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Untransformed is the directive of Cache-Control by which proxies and networks of caches leave a
// page or a stream as it is: they hide addresses, put scripts off, and translate words.
const Untransformed = "no-transform"

// JSONType is the media type of JSON.
const JSONType = "application/json"

// Answer writes v as JSON, the members of a map in order.
func Answer(c *gin.Context, status int, v any) error { return AnswerAs(c, status, JSONType, v) }

// AnswerAs writes v as JSON with the given media type.
func AnswerAs(c *gin.Context, status int, mediaType string, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	c.Data(status, mediaType, body)
	return nil
}

// NoContent answers 204.
func NoContent(c *gin.Context) error {
	c.Status(http.StatusNoContent)
	return nil
}

// Known returns a pointer to s, or nil, which JSON writes as null, for "".
func Known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Text is a text of an answer; JSON writes "" as null.
type Text string

// MarshalJSONTo writes the text.
func (t Text) MarshalJSONTo(e *jsontext.Encoder) error {
	if t == "" {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(string(t)))
}

// Time is a time of an answer; JSON writes it as Timestamp does, and the zero time as
// null.
type Time time.Time

// MarshalJSONTo writes the time.
func (t Time) MarshalJSONTo(e *jsontext.Encoder) error {
	if time.Time(t).IsZero() {
		return e.WriteToken(jsontext.Null)
	}
	text := append(e.AvailableBuffer(), '"')
	text = time.Time(t).UTC().AppendFormat(text, time.RFC3339)
	return e.WriteValue(append(text, '"'))
}

// Timestamp formats t for answers: RFC 3339, in UTC, to the second.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
