package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// listener is one address served, with the time-outs that keep slow or silent
// clients from holding it.
type listener struct {
	net.Listener
	server   *http.Server
	draining atomic.Bool
}

// listen takes the address; nothing is served before serve.
func listen(ctx context.Context, name, address string) (*listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s address: %w", name, err)
	}
	return &listener{Listener: l}, nil
}

// handed is an address that somebody else listens at for us; nil where there is none.
func handed(l net.Listener) *listener {
	if l == nil {
		return nil
	}
	return &listener{Listener: l}
}

// serve serves handler until close; an end of its own goes to failed. A request and
// its answer may take within each; zero leaves that to the handler, route by route.
func (l *listener) serve(handler http.Handler, within time.Duration, logger *slog.Logger, failed chan<- error) {
	l.server = &http.Server{
		Handler:                      handler,
		DisableGeneralOptionsHandler: true, // OPTIONS * is a request like any other
		ReadHeaderTimeout:            5 * time.Second,
		ReadTimeout:                  within,
		WriteTimeout:                 within,
		IdleTimeout:                  120 * time.Second,
		MaxHeaderBytes:               32 << 10,
		ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	go func() {
		if err := l.server.Serve(l.Listener); !errors.Is(err, http.ErrServerClosed) {
			select {
			case failed <- err:
			default:
			}
		}
	}()
}

// drained is a handler whose answers are, while the listener drains, the last of their
// connections: whoever keeps one open comes back to another node.
type drained struct {
	http.Handler
	draining *atomic.Bool
}

func (d drained) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	d.Handler.ServeHTTP(w, r)
}

// close lets what is under way finish until ctx ends, then ends it.
func (l *listener) close(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if l.server == nil {
		return l.Close()
	}
	if err := l.server.Shutdown(ctx); err != nil {
		return errors.Join(err, l.server.Close())
	}
	return nil
}

func (l *listener) url() string { return "http://" + l.Addr().String() }

func (l *listener) port() int {
	if address, ok := l.Addr().(*net.TCPAddr); ok {
		return address.Port
	}
	return 0
}
