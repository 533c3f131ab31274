package upstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/internal/fault"
	"countersign/internal/logtest"
	"countersign/internal/upstream"
)

// said returns the error of a call that is answered with status 409 and that body: a
// refusal, or the failure of a page.
func said(t *testing.T, contentType, body string, o upstream.Options, call upstream.Call) (*upstream.Error, error) {
	t.Helper()
	err := client(t, platform(t, answering(http.StatusConflict, contentType, body)), o).JSON(t.Context(), call, nil)
	var e *upstream.Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v", err)
	}
	if page := fault.Is(err, fault.PlatformFailed); e.Foreign != page || !page && !fault.Is(err, fault.PlatformRefused) {
		t.Fatalf("foreign is %t: %v", e.Foreign, err)
	}
	return e, err
}

func TestError_Forms(t *testing.T) {
	tests := []struct {
		name, body    string
		code, message string
		validation    []string
		shown         string
	}{
		{"whole", `{"error":"Conflict","message":"User is locked","timestamp":1}`, "Conflict", "User is locked", nil, "409: Conflict: User is locked"},
		{"validation", `{"error":"Bad Request","message":"m","validationErrors":[{"message":"one","field":"f"},{"message":"two"}]}`,
			"Bad Request", "m", []string{"one", "two"}, "m: one: two"},
		{"validation texts", `{"validationErrors":["one"]}`, "", "", []string{"one"}, "409: one"},
		{"validation odd", `{"message":"m","validationErrors":{"message":"one"}}`, "", "m", nil, "409: m"},
		{"validation odder", `{"message":"m","validationErrors":[7,null,{"message":{}}]}`, "", "m", []string{"", "", ""}, "409: m"},
		{"only message", `{"message":"Timed out"}`, "", "Timed out", nil, "409: Timed out"},
		{"numbers", `{"error":409,"message":null}`, "", "", nil, `an object with ["error" "message"]`},
		{"nothing", "", "", "", nil, "answered 409"},
		{"other members", `{"title":"t","detail":"d"}`, "", "", nil, `an object with ["detail" "title"]`},
		{"truncated before anything", `{"mess`, "", "", nil, "a body of 6 bytes"},
		{"a string", `"User is locked"`, "", "", nil, "a body of 16 bytes"},
		{"html", "<html><title>Bad gateway</title>", "", "", nil, `"<html><title>`},
		{"array", `[{"message":"m"}]`, "", "", nil, "a body of 17 bytes"},
		{"truncated", `{"error":"Conflict","message":"User is locked","validationErrors":[{"mess`, "Conflict", "User is locked", nil, "User is locked"},
		{"truncated in the middle", `{"error":"Conflict","message":"User is`, "Conflict", "", nil, "Conflict"},
		{"garbage behind", `{"message":"m"}<!-- gateway -->`, "", "m", nil, "m"},
		{"Latin-1", "{\"message\":\"Benutzer gel\xf6scht\"}", "", "Benutzer gel\ufffdscht", nil, "gel"},
		{"twice", `{"message":"one","message":"two"}`, "", "two", nil, "two"},
		{"byte order mark", "\ufeff{\"message\":\"m\"}", "", "m", nil, "m"},
		{"UTF-16", "{\x00\"\x00m\x00\"\x00", "", "", nil, "answered 409"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := said(t, "application/json", tt.body, upstream.Options{}, post)
			if e.Code != tt.code || e.Message != tt.message || !slices.Equal(e.ValidationErrors, tt.validation) {
				t.Errorf("read %q, %q, %q", e.Code, e.Message, e.ValidationErrors)
			}
			if string(e.Body) != tt.body {
				t.Errorf("body = %q", e.Body)
			}
			if !strings.Contains(err.Error(), tt.shown) {
				t.Errorf("error = %v, want it to contain %q", err, tt.shown)
			}
		})
	}
}

func TestError_LongTextShortened(t *testing.T) {
	long := strings.Repeat("é", 4000)
	e, _ := said(t, "application/json", `{"message":"`+long+`"}`, upstream.Options{}, post)
	if len(e.Message) > 600 || !utf8.ValidString(e.Message) || !strings.HasSuffix(e.Message, "…") {
		t.Errorf("message of %d bytes: …%q", len(e.Message), e.Message[len(e.Message)-8:])
	}
	e, _ = said(t, "text/plain", long, upstream.Options{}, post)
	if n := len(e.Error()); n > 1000 {
		t.Errorf("an error of %d bytes", n)
	}
	many := `{"validationErrors":[` + strings.Repeat(`{"message":"m"},`, 500) + `{"message":"m"}]}`
	if e, _ = said(t, "application/json", many, upstream.Options{}, post); len(e.ValidationErrors) > 8 {
		t.Errorf("%d validation errors kept", len(e.ValidationErrors))
	}
}

func TestError_HidesEchoedSecrets(t *testing.T) {
	const password = `Sandbox-1!"\`
	call := post
	call.Secrets = []string{password, ""}
	quoted, _ := json.Marshal(map[string]any{
		"error": "echo " + secret, "message": "wrong password " + password + " with " + secret + " or c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA==",
		"validationErrors": []any{map[string]string{"message": "rejected value [" + password + "]"}, "key " + secret},
	})
	long := strings.Repeat("x", 505) + password
	bodies := map[string]string{
		"understood": string(quoted),
		"raw":        "no JSON: " + password + " " + secret,
		"escaped":    `{"detail":"Sandbox-1!\"\\"}`,
		"odd escape": `{"detail":"\u0053andbox-1!\"\\","key":"c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA\u003d="}`,
		"html":       "<p>Sandbox-1!&#34;\\</p>",
		"html said":  `{"message":"Sandbox-1!&#34;\\"}`,
		"at the cut": fmt.Sprintf(`{"message":%q}`, long),
		"page":       "<pre>" + secret + "</pre>",
		"text":       secret,
		"members":    `{"authorization":"` + secret + `"}`,
		"escaped =":  `{"authorization":"Basic c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA\u003d\u003d"}`,
		"array":      `["Basic c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA\u003d\u003d"]`,
		"name":       `{"` + secret + `":1}`,
		"cut":        `{"authorization":"Basic c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA\u003d`,
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			var log logtest.Log
			_, page := said(t, "text/html", body, upstream.Options{Authorization: secret}, call)
			e, err := said(t, "application/json", body, upstream.Options{Authorization: secret, Logger: log.Logger()}, call)
			log.Logger().Error("failed", "error", err, "cause", e)
			shown := fmt.Sprintf("%v %+v %s %v", err, e, log.String(), page)
			for _, s := range []string{"Sandbox-1", "c2VjcmV0"} {
				if strings.Contains(shown, s) {
					t.Errorf("%q shows in %s", s, shown)
				}
			}
			if said := e.Message != ""; said && !strings.Contains(shown, "[redact") || !said && !strings.Contains(shown, "a body of") {
				t.Errorf("shown: %s", shown)
			}
		})
	}
}
