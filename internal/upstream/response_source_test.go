package upstream_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// TestRefusal_OnlyFromPlatformItself tells what the platform's API says from what
// stands before it, for typed calls and for streamed ones.
func TestRefusal_OnlyFromPlatformItself(t *testing.T) {
	const (
		page  = "<!DOCTYPE html><title>404 Not Found</title>"
		said  = `{"message":"unknown"}`
		media = "application/json; charset=utf-8"
	)
	own, foreign, away := fault.PlatformRefused, fault.PlatformFailed, fault.PlatformUnavailable
	for _, test := range []struct {
		name, media, body string
		want              map[int]fault.Key
	}{
		{"an object", media, said, map[int]fault.Key{400: own, 404: own, 409: own, 410: own}},
		{"an empty object", "APPLICATION/JSON", " {} ", map[int]fault.Key{400: own, 404: own, 410: own}},
		{"a problem", "application/problem+json", `{"status":404}`, map[int]fault.Key{404: own, 410: own}},
		{"a byte order mark", media, "\ufeff" + said, map[int]fault.Key{404: own}},
		{"members twice", media, `{"message":"a","message":"b"}`, map[int]fault.Key{404: own}},
		{"a page", "text/html; charset=utf-8", page, map[int]fault.Key{
			400: foreign, 401: foreign, 403: foreign, 404: foreign, 405: foreign, 409: foreign, 410: foreign, 413: foreign,
			416: foreign, 422: foreign, 429: away, 500: foreign, 502: foreign, 503: away, 504: foreign,
		}},
		{"a page called JSON", media, page, map[int]fault.Key{400: foreign, 403: foreign, 404: foreign, 409: foreign, 410: foreign}},
		{"a page called nothing", "", "  \n" + page, map[int]fault.Key{400: foreign, 404: foreign, 410: foreign}},
		{"a page in XHTML", "application/xhtml+xml", "Not found", map[int]fault.Key{400: foreign, 404: foreign}},
		{"an object called a page", "text/html", said, map[int]fault.Key{400: own, 404: foreign, 409: own, 410: foreign}},
		{"an object called text", "text/plain", said, map[int]fault.Key{400: own, 404: foreign, 410: foreign}},
		{"an object called nothing", "", said, map[int]fault.Key{404: foreign, 410: foreign}},
		{"an object called nonsense", "application/json; charset", said, map[int]fault.Key{404: foreign, 410: foreign}},
		{"nothing", media, "", map[int]fault.Key{400: own, 403: foreign, 404: foreign, 409: own, 410: foreign, 416: own}},
		{"text", "text/plain", "no such user", map[int]fault.Key{400: own, 403: foreign, 404: foreign, 409: own, 410: foreign}},
		{"an array", media, "[" + said + "]", map[int]fault.Key{403: foreign, 404: foreign, 410: foreign}},
		{"null", media, "null", map[int]fault.Key{403: foreign, 404: foreign, 410: foreign}},
		{"a string", media, `"unknown"`, map[int]fault.Key{404: foreign, 410: foreign}},
		{"an object and more", media, said + page, map[int]fault.Key{404: foreign, 410: foreign}},
		{"half an object", media, said[:12], map[int]fault.Key{404: foreign, 410: foreign}},
		{"too much", media, `{"message":"` + strings.Repeat("x", 1<<20) + `"}`, map[int]fault.Key{400: own, 404: foreign, 410: foreign}},
	} {
		for status, want := range test.want {
			t.Run(fmt.Sprint(test.name, " ", status), func(t *testing.T) {
				c := client(t, platform(t, answering(status, test.media, test.body)), upstream.Options{})
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.At("/file"), nil)
				if err != nil {
					t.Fatal(err)
				}
				response, streamed := c.Relay("file", r)
				if streamed == nil {
					response.Body.Close()
				}
				for how, err := range map[string]error{"called": c.JSON(t.Context(), get, nil), "streamed": streamed} {
					if !fault.Is(err, want) {
						t.Errorf("%s: %v, want %s", how, err, want)
					}
				}
			})
		}
	}
}

// TestRefusal_TruncatedBody cuts a body behind its last brace.
func TestRefusal_TruncatedBody(t *testing.T) {
	url := platform(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"message":"unknown"}`))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	err := client(t, url, upstream.Options{}).JSON(t.Context(), get, nil)
	if said, ok := errors.AsType[*upstream.Error](err); !fault.Is(err, fault.PlatformFailed) || !ok || !said.Foreign {
		t.Errorf("%v", err)
	}
}
