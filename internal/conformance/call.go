package conformance

import (
	"bytes"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
)

// reply is an answer of the platform.
type reply struct {
	call   string
	status int
	body   []byte
}

// request returns a request with body as JSON, or without a body for nil.
func request(t *T, method, url, contentType string, body any) *http.Request {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

func exchange(t *T, client *http.Client, r *http.Request) reply {
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{r.Method + " " + r.URL.Path, response.StatusCode, body}
}

// json returns the object in the body, for any status.
func (r reply) json(t *T) members {
	var body members
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatalf("%s: %d %v in %s", r.call, r.status, err, r.body)
	}
	return body
}
