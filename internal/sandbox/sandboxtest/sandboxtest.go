// Package sandboxtest has helpers shared by the tests of the sandbox's services: they
// send requests and look into answers.
package sandboxtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/sandbox"
)

// Start serves a sandbox until the test ends, and returns its address.
func Start(t *testing.T, o sandbox.Options) string {
	t.Helper()
	server, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() { server.Close(); web.Close() })
	return web.URL
}

// Body returns what a request sends, and its content type: nothing for nil, a string
// unchanged, anything else as JSON.
func Body(t *testing.T, body any) (contentType string, content io.Reader) {
	t.Helper()
	switch text := body.(type) {
	case nil:
		return "", http.NoBody
	case string:
		return "application/json", strings.NewReader(text)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return "application/json", strings.NewReader(string(text))
}

// Send sends a request, follows no redirect, and returns the answer with its body.
func Send(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// At returns the JSON value at a path such as roles.0.signers.0.email.
func At(t *testing.T, value any, path string) any {
	t.Helper()
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(v) {
				t.Fatalf("no %s of %s in %v", step, path, v)
			}
			value = v[i]
		default:
			t.Fatalf("no %s of %s in %v", step, path, v)
		}
	}
	return value
}

// Same fails the test unless both values print the same.
func Same(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
