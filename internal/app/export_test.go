package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
)

// Handler returns the handler of the public listener.
func (a *App) Handler() http.Handler {
	return a.public.server.Handler.(framingGuard).Handler.(drainHandler).Handler
}

// CheckReadiness checks readiness as a probe of /readyz does.
func (a *App) CheckReadiness(ctx context.Context) error { return a.readiness.Check(ctx) }

// FromHere returns the URL of the sandbox where it listens.
func FromHere(listening net.Addr) string { return fromHere(listening) }

// Listen serves handler at a listener of the program's until the test ends, and returns its
// address.
func Listen(t *testing.T, handler http.Handler) string {
	t.Helper()
	l, err := listen(t.Context(), "TEST", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.serve(handler, 0, slog.New(slog.DiscardHandler), make(chan error, 1))
	t.Cleanup(func() { _ = l.close(context.Background()) })
	return l.Addr().String()
}
