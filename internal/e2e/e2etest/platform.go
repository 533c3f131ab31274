package e2etest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
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
}

// BootApart starts Countersign with the settings of production in front of a sandbox that
// the test can stop.
func BootApart(t testing.TB, settings ...string) (*App, *Platform) {
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
	app := InFrontOf(t, "http://"+p.address, settings...)
	app.platform = "http://" + p.address
	return app, p
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
	server := &http.Server{Handler: p.handler, ReadHeaderTimeout: 5 * time.Second}
	p.server = server
	go func() { _ = server.Serve(l) }()
}

// Stop refuses new connections and closes the others when their requests are answered.
func (p *Platform) Stop() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := p.server.Shutdown(ctx); err != nil {
		p.t.Errorf("stopping the platform: %v", err)
	}
}
