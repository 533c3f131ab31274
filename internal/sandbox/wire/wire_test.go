package wire_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/sandbox/wire"
)

func serve(call wire.Call, r *http.Request) (*httptest.ResponseRecorder, string) {
	var log strings.Builder
	w := httptest.NewRecorder()
	wire.Handler(call, slog.New(slog.NewTextHandler(&log, nil))).ServeHTTP(w, r)
	return w, log.String()
}

// What nobody foresaw is a 500 that tells nothing; the log tells it.
func TestUnforeseenErrors(t *testing.T) {
	call := func(*http.Request) (any, error) { return nil, errors.New("the disk is on fire") }
	w, log := serve(call, httptest.NewRequest(http.MethodGet, "/", nil))
	want := `{"status":500,"error":"Internal Server Error","message":"Internal error"}`
	if w.Code != http.StatusInternalServerError || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log, "the disk is on fire") || !strings.Contains(log, "level=ERROR") {
		t.Errorf("log %q", log)
	}
}

func TestAnswers(t *testing.T) {
	for want, body := range map[string]any{`200 {"a":1}`: map[string]int{"a": 1}, "204 ": nil} {
		w, log := serve(func(*http.Request) (any, error) { return body, nil }, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := strconv.Itoa(w.Code) + " " + w.Body.String(); got != want || log != "" {
			t.Errorf("%q, want %q; log %q", got, want, log)
		}
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	cause := errors.New("cause")
	var err error = wire.Conflict("User is locked").Because(cause)
	if !errors.Is(err, cause) || err.Error() != "User is locked: cause" {
		t.Error(err)
	}
}

func TestDecode(t *testing.T) {
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
		var in struct {
			A struct {
				B string `json:"b"`
			} `json:"a"`
		}
		var refusal *wire.Error
		if err := wire.Decode(r, &in); !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest || refusal.Violations[0] != want {
			t.Errorf("%q: %+v, want %+v", body, refusal, want)
		}
	}
}
