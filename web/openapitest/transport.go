package openapitest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// roundTripper returns next, or http.DefaultTransport if nil, with its answers checked.
// An answer is read to its end before it is returned.
func (c *Checker) roundTripper(next http.RoundTripper, report func(format string, args ...any)) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{checker: c, next: next, report: report}
}

type transport struct {
	checker *Checker
	next    http.RoundTripper
	report  func(format string, args ...any)
}

// RoundTrip carries r out and checks the answer. An answer whose connection breaks off is
// not checked.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	request, sent := watch(r)
	answer, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	content, broken := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(content), errorBody{broken}))
	if broken == nil {
		t.judge(r, sent, answer, content)
	}
	return answer, nil
}

func (t *transport) judge(r *http.Request, sent func() ([]byte, error), answer *http.Response, content []byte) {
	body, err := sent()
	violations := []error{err}
	if err == nil {
		violations = t.checker.check(exchange{r, body, answer, content})
	}
	for _, violation := range violations {
		t.report("OpenAPI: %s %s: %d: %v", r.Method, r.URL.Path, answer.StatusCode, violation)
	}
}

// watch returns r as it is to be sent, and a function that returns its body afterwards. A
// body that cannot be read twice is copied while it is sent.
func watch(r *http.Request) (*http.Request, func() ([]byte, error)) {
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		return r, func() ([]byte, error) { return nil, nil }
	case r.GetBody != nil:
		return r, func() ([]byte, error) {
			again, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			defer again.Close()
			return io.ReadAll(again)
		}
	}
	copied := &bodyRecorder{ReadCloser: r.Body}
	request := r.Clone(r.Context())
	request.Body = copied
	return request, copied.bytes
}

// bodyRecorder keeps the bytes read from it. A server may answer before it has read
// everything, so both sides may use it concurrently.
type bodyRecorder struct {
	io.ReadCloser
	mu   sync.Mutex
	read bytes.Buffer
}

func (c *bodyRecorder) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.Write(p[:n])
	return n, err
}

func (c *bodyRecorder) bytes() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.read.Bytes()), nil
}

// errorBody ends a body with the connection's error.
type errorBody struct{ err error }

func (f errorBody) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}
