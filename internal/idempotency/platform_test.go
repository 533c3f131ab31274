package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"countersign/internal/idempotency"
)

// platform creates one object for each request that it receives whole.
type platform struct {
	*httptest.Server
	mu     sync.Mutex
	made   []string // the marks, in the order of creation
	bodies []string
	// before and after are called around creating an object, with the number of the
	// request, from 1. If they return false, the connection ends. Set them by around,
	// because a request that its client gave up may still be under way.
	before, after func(n int, w http.ResponseWriter) bool
	requests      int
}

// around sets the functions that later requests run into; nil does nothing.
func (p *platform) around(before, after func(n int, w http.ResponseWriter) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before, p.after = before, after
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := &platform{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *platform) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests++
	n, before, after := p.requests, p.before, p.after
	p.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if before != nil && !before(n, w) {
		panic(http.ErrAbortHandler)
	}
	p.mu.Lock()
	p.made, p.bodies = append(p.made, r.Header.Get("Mark")), append(p.bodies, string(body))
	id := strconv.Itoa(len(p.made))
	p.mu.Unlock()
	if after != nil && !after(n, w) {
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write([]byte(`{"id":"` + id + `"}`))
}

func (p *platform) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.made)
}

// first returns the mark and the body of the first object created.
func (p *platform) first() (mark, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[0], p.bodies[0]
}

// sent returns the number of requests that arrived, whole or not.
func (p *platform) sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

var errPlatform = errors.New("the platform failed")

// work returns Work that sends requests to the platform as a relay does, and finds the
// created objects.
func (p *platform) work() idempotency.Work { return idempotency.Work{Send: p.send, Find: p.find} }

func (p *platform) send(ctx context.Context, a *idempotency.Attempt) (idempotency.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, a.HoldLastBytes(io.NopCloser(a.Body())))
	if err != nil {
		return idempotency.Answer{}, err
	}
	r.Header.Set("Mark", a.Token())
	response, err := p.Client().Do(r)
	if err != nil {
		return idempotency.Answer{}, err
	}
	defer response.Body.Close()
	a.Responded(nil)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return idempotency.Answer{}, err
	}
	if response.StatusCode >= 500 {
		return idempotency.Answer{}, errPlatform
	}
	return idempotency.Answer{Status: response.StatusCode, Header: http.Header{"Content-Type": {response.Header.Get("Content-Type")}}, Body: body}, nil
}

func (p *platform) find(_ context.Context, mark string, since time.Time) (idempotency.Answer, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, made := range p.made {
		if made == mark && !since.IsZero() {
			return idempotency.Answer{Status: 200, Body: []byte(`{"id":"` + strconv.Itoa(i+1) + `"}`)}, true, nil
		}
	}
	return idempotency.Answer{}, false, nil
}

// aRequest returns a valid request of alice's.
func aRequest() idempotency.Request {
	return idempotency.Request{
		Person: "alice@sandbox", Key: "a-key-1", Method: http.MethodPost, Path: "/packages",
		ContentType: "application/json", Body: bytes.NewReader([]byte(`{"name":"Lease"}`)),
	}
}

func with(change func(*idempotency.Request)) idempotency.Request {
	r := aRequest()
	change(&r)
	return r
}

// firstFinding returns the platform's find, except that the first call finds nothing and
// calls then.
func firstFinding(p *platform, then func()) func(context.Context, string, time.Time) (idempotency.Answer, bool, error) {
	looked := false
	return func(ctx context.Context, mark string, since time.Time) (idempotency.Answer, bool, error) {
		if looked {
			return p.find(ctx, mark, since)
		}
		looked = true
		answer, found, err := p.find(ctx, mark, since)
		then()
		return answer, found, err
	}
}

// readerFunc makes a body of a function.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
