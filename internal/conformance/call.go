package conformance

import (
	"bytes"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
)

// reply is one answer of the platform.
type reply struct {
	call   string
	status int
	body   []byte
}

// request is one with body as JSON, or with none for nil.
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

// json is the object of the body, whatever the status.
func (r reply) json(t *T) members {
	var body members
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatalf("%s: %d %v in %s", r.call, r.status, err, r.body)
	}
	return body
}
