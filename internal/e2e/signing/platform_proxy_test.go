package signing_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// front stands before the sandbox's signing API, and runs a function before a call.
type front struct {
	proxy *httputil.ReverseProxy

	mu     sync.Mutex
	lists  int // calls of the listing so far
	before func(calls int, w http.ResponseWriter) (answered bool)
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	before, calls := f.before, 0
	if r.URL.Path == packages && r.Method == http.MethodGet {
		f.lists++
		calls = f.lists
	}
	f.mu.Unlock()
	if calls == 0 || before == nil || !before(calls, w) {
		f.proxy.ServeHTTP(w, r)
	}
}

// on calls before with each call of the listing from now on.
func (f *front) on(before func(calls int, w http.ResponseWriter) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists, f.before = 0, before
}

// bootBehindFront starts the program with a front before its platform.
func bootBehindFront(t *testing.T) (*e2etest.App, *front) {
	t.Helper()
	f := &front{}
	server, app := openBehind(t, f)
	to, err := url.Parse(app.SandboxURL())
	if err != nil {
		t.Fatal(err)
	}
	f.proxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server.Start()
	return app, f
}

// openBehind opens the program with front before its platform, which answers once it is
// started: then front knows where the platform is.
func openBehind(t *testing.T, front http.Handler, settings ...string) (*httptest.Server, *e2etest.App) {
	t.Helper()
	server := httptest.NewUnstartedServer(front)
	app := e2etest.Open(t, e2etest.Unopened(t, io.Discard, append(settings, "SIGNING_URL=http://"+server.Listener.Addr().String())...))
	t.Cleanup(server.Close)
	return server, app
}
