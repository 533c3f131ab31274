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

// listener serves one address, with time-outs that keep slow or silent clients from
// holding it.
type listener struct {
	net.Listener
	server   *http.Server
	draining atomic.Bool
}

// listen listens at the address; connections wait until serve.
func listen(ctx context.Context, name, address string) (*listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s address: %w", name, err)
	}
	return &listener{Listener: l}, nil
}

// handed wraps an existing listener; nil for nil.
func handed(l net.Listener) *listener {
	if l == nil {
		return nil
	}
	return &listener{Listener: l}
}

// serve serves handler until close, and sends the error of an earlier end to failed.
// within limits a request and its answer; zero leaves that to the handler.
func (l *listener) serve(handler http.Handler, within time.Duration, logger *slog.Logger, failed chan<- error) {
	l.server = &http.Server{
		Handler:                      framingGuard{handler},
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

// framingGuard is a handler that closes each connection after an answer to a request whose end
// others may see elsewhere: with Transfer-Encoding, beside which net/http drops a
// Content-Length untold, or of HTTP/1.0, where it drops a Transfer-Encoding (RFC 9112,
// section 6.1). What follows on the connection is then never taken for a request.
type framingGuard struct{ http.Handler }

// ServeHTTP implements http.Handler.
func (f framingGuard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
		w.Header().Set("Connection", "close")
	}
	f.Handler.ServeHTTP(w, r)
}

// drainHandler is a handler that closes each connection after its answer while the listener
// drains, so that clients reconnect to another node.
type drainHandler struct {
	http.Handler
	draining *atomic.Bool
}

func (d drainHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	d.Handler.ServeHTTP(w, r)
}

// close lets requests under way finish until ctx ends, then cuts them off.
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
