package e2etest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/redisdb/redistest"
	"countersign/internal/sandbox"
)

// Platform is a separate sandbox. It can stop and start again at the same address, with
// its data.
type Platform struct {
	t       testing.TB
	address string
	handler http.Handler
	server  *http.Server
	failing atomic.Pointer[http.HandlerFunc]
	failed  atomic.Int32
}

// BootApart starts Countersign with the settings of production in front of a sandbox that
// the test can stop.
func BootApart(t testing.TB, settings ...string) (*App, *Platform) {
	t.Helper()
	p := newPlatform(t)
	app := InFrontOf(t, "http://"+p.address, settings...)
	app.platform = "http://" + p.address
	return app, p
}

// newPlatform starts a sandbox whose pages of Countersign are in production.
func newPlatform(t testing.TB) *Platform {
	t.Helper()
	server, err := sandbox.New(sandbox.Options{
		RPID: "cs.example", RPOrigins: []string{productionOrigin},
		UAFAppID: productionOrigin + "/uaf/facets", UAFFacets: []string{productionOrigin},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &Platform{t: t, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(redistest.FreePort(t))), handler: server}
	p.Start()
	t.Cleanup(func() {
		server.Close() // ends the requests that it delays
		p.Stop()
	})
	return p
}

// Start listens at the earlier address and serves.
func (p *Platform) Start() { p.t.Helper(); p.Serve(p.Listen()) }

// Listen listens at the earlier address.
func (p *Platform) Listen() net.Listener {
	p.t.Helper()
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.address = l.Addr().String()
	return l
}

// Serve serves on l until Stop.
func (p *Platform) Serve(l net.Listener) {
	server := &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: 5 * time.Second}
	p.server = server
	go func() { _ = server.Serve(l) }()
}

// serve serves as the sandbox, or as whatever it fails by.
func (p *Platform) serve(w http.ResponseWriter, r *http.Request) {
	if fail := p.failing.Load(); fail != nil && !strings.HasPrefix(r.URL.Path, "/_manage/") {
		p.failed.Add(1)
		(*fail)(w, r)
		return
	}
	p.handler.ServeHTTP(w, r)
}

// Fail has fail answer every request, until Mend.
func (p *Platform) Fail(fail http.HandlerFunc) { p.failing.Store(&fail) }

// Pass answers as the sandbox does.
func (p *Platform) Pass(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Mend has the sandbox answer again.
func (p *Platform) Mend() { p.failing.Store(nil) }

// Failed returns how many requests have failed since it was asked last.
func (p *Platform) Failed() int { return int(p.failed.Swap(0)) }

// Stop refuses new connections and closes the others when their requests are answered.
func (p *Platform) Stop() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := p.server.Shutdown(ctx); err != nil {
		p.t.Errorf("stopping the platform: %v", err)
	}
}
