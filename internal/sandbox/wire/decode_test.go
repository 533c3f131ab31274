package wire_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/sandbox/wire"
)

func TestError_KeepsCause(t *testing.T) {
	cause := errors.New("cause")
	var err error = wire.Conflict("User is locked").Because(cause)
	if !errors.Is(err, cause) || err.Error() != "User is locked: cause" {
		t.Error(err)
	}
}

func TestDecode_Violations(t *testing.T) {
	for body, want := range map[string]wire.Violation{
		`{"a":{"b":1}}`:     {Field: "a.b", Message: "has the wrong type"},
		`{"a":{"c":""}}`:    {Field: "a.c", Message: "is not a member of this request"},
		`{"a":{},"a":{}}`:   {Field: "a", Message: "is there twice"},
		`{"a":{"b":"\xff"}`: {Message: "is not well-formed JSON"},
		``:                  {Message: "is not well-formed JSON"},
		`{} {}`:             {Message: "is not well-formed JSON"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		_, err := wire.JSON(func(*http.Request, input) (any, error) { return nil, nil })(r)
		var refusal *wire.Error
		if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest || refusal.Violations[0] != want {
			t.Errorf("%q: %+v, want %+v", body, refusal, want)
		}
	}
}

type input struct {
	A struct {
		B string `json:"b"`
	} `json:"a"`
}
