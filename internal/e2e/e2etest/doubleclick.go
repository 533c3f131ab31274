package e2etest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/sandbox/idv"
)

// givenUp is the status that a client reads of a request that it has given up.
const givenUp = 499

// BootWholeApart is BootApart with e-signing and identity verification.
func BootWholeApart(t testing.TB, settings ...string) (*App, *Platform) {
	t.Helper()
	return BootApart(t, append(
		settings, "SIGNING_API_KEY=none", "ACCESS_KEYS="+strings.Repeat("19b8", 16),
		"IDV_TOKEN="+idv.Token, "IDV_TENANT="+idv.Tenant, "IDV_WORKFLOWS="+idv.Workflows()[0], "IDV_BRANDS="+idv.Brands()[0],
	)...)
}

// DoubleClick sends what a browser on a slow machine sends for a double click: a request that
// it gives up while the platform carries out the calls that at accepts, and then the same once
// more. It returns what the second is answered, and how often the platform was called so.
func DoubleClick(c *Client, platform *Platform, at func(*http.Request) bool, send func(*Client) Reply) (second Reply, calls int) {
	c.T.Helper()
	var times atomic.Int32
	called, finish := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(called) })
	platform.Fail(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it never came whole
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if at(r) {
			times.Add(1)
			first()
			select {
			case <-finish:
			case <-r.Context().Done(): // Countersign has given it up
			}
		}
		platform.Pass(w, r)
	})
	defer platform.Mend()
	ctx, leave := context.WithCancel(c.T.Context())
	defer leave()
	left, answered := make(chan Reply, 1), make(chan Reply, 1)
	go func() { left <- send(c.leaving(ctx)) }()
	select {
	case <-called:
	case r := <-left:
		c.T.Errorf("it is answered without the platform: %d", r.Status)
		return r, 0
	}
	leave()
	<-left
	go func() { answered <- send(c) }()
	Eventually(c.T, "the second waits, or is answered", func() bool {
		return len(answered) > 0 || Inside(c.T, c.App, "redisdb.(*heldLease).acquire") > 0
	})
	close(finish)
	second = <-answered
	return second, int(times.Load())
}

// leaving returns the same client, which gives its requests up when ctx ends.
func (c *Client) leaving(ctx context.Context) *Client {
	own, http := *c, *c.HTTP
	http.Transport, own.HTTP = leaver{http.Transport, ctx}, &http
	return &own
}

type leaver struct {
	http.RoundTripper
	ctx context.Context
}

// RoundTrip sends r, and answers itself once its client has left.
func (l leaver) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r.WithContext(l.ctx))
	if err != nil && l.ctx.Err() != nil {
		return &http.Response{StatusCode: givenUp, Header: http.Header{}, Body: http.NoBody, Request: r}, nil //nolint:nilerr // it is what the client reads
	}
	return response, err
}

// Inside returns the number of the program's goroutines with function on their stack,
// from its own profile.
func Inside(t testing.TB, app *App, function string) (n int) {
	t.Helper()
	profile := Asked(t, app, "/debug/pprof/goroutine?debug=1").Want(http.StatusOK).Body
	for stack := range strings.SplitSeq(string(profile), "\n\n") {
		var count int
		if _, err := fmt.Sscanf(stack, "%d @", &count); err == nil && strings.Contains(stack, function+"+0x") {
			n += count
		}
	}
	return n
}
