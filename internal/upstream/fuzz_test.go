package upstream_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// FuzzAnswers lets the platform answer anything. The call ends in an answer or in a fault
// that is short, readable and shows no secret.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		"", "{}", `{"error":"Conflict","message":"User is locked"}`, `{"message":"` + secret + `"}`, "<html>" + secret,
		`{"validationErrors":[{"message":"m"},"n",7]}`, `{"message":"a`, "\xff\xfe{", `[[[[`, `"\ud800"`, "{\"a\":1,\"a\":2}",
	} {
		for _, status := range []int{200, 400, 409, 503} {
			f.Add(status, []byte(body))
		}
	}
	var status int
	var body []byte
	url := platform(f, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write(body) // 204 and 304 have none.
	})
	c := client(f, url, upstream.Options{Authorization: secret, MaxResponse: 4 << 10, OutagesToOpen: 1 << 30})
	f.Fuzz(func(t *testing.T, s int, b []byte) {
		status, body = 200+(s%400+400)%400, b
		var out jsontext.Value
		err := c.JSON(t.Context(), post, &out)
		if err == nil {
			if status > 299 || len(out) > 0 && !out.IsValid() {
				t.Fatalf("%d %q was taken for %q", status, b, out)
			}
			return
		}
		var e *fault.Error
		if !errors.As(err, &e) || e.Key == fault.ServerInternal {
			t.Fatalf("%d %q became %v", status, b, err)
		}
		if text := err.Error(); len(text) > 16<<10 || !utf8.ValidString(text) || strings.Contains(text, secret) {
			t.Fatalf("%d %q is told as %q", status, b, text)
		}
	})
}
