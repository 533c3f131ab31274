package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lean is a client of HTTP/1.1 in which the caller's own goroutine writes the request and
// reads the response. net/http's transport has two goroutines for each connection, and
// every exchange waits for both of them, which costs more than all else in it.
//
// It reads nothing while it writes, so it takes only requests whose body is short and in
// memory. All others go to net/http's transport, and so does everything to a service that
// speaks HTTP/2.
type lean struct {
	rest    *http.Transport
	address string      // host and port of the service
	trust   *tls.Config // nil for http
	http2   atomic.Bool // the service speaks HTTP/2

	mu     sync.Mutex
	idle   []*leanConn // the one used last is the last
	sweeps *time.Timer // closes connections that were idle for too long; nil if none is idle
	closed bool
}

// shortBody is the longest body, in bytes, that lean sends: a socket takes it before the
// service reads any of it.
const shortBody = 16 << 10

// errHTTP2 is the error of a connection on which the service chose HTTP/2.
var errHTTP2 = errors.New("the service speaks HTTP/2")

// newLean returns a lean for the service at scheme and host, which passes on to rest what
// it does not take.
func newLean(scheme, host string, rest *http.Transport) *lean {
	l := &lean{rest: rest, address: host}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
		l.address = net.JoinHostPort(name, scheme) // net.Dial knows the port of http and of https
	}
	if scheme == "https" {
		l.trust = rest.TLSClientConfig.Clone()
		l.trust.ServerName, l.trust.NextProtos = name, []string{"h2", "http/1.1"}
	}
	return l
}

// sentOnce is the key of a context whose request is never sent again.
type sentOnce struct{}

// RoundTrip sends r once, like the method of net/http's transport: a request that changes
// nothing is sent again if the service had closed an idle connection meanwhile.
func (l *lean) RoundTrip(r *http.Request) (*http.Response, error) {
	if !l.takes(r) {
		return l.rest.RoundTrip(r)
	}
	for {
		if err := r.Context().Err(); err != nil {
			return nil, ended(r.Context(), err)
		}
		conn, err := l.conn(r.Context())
		if errors.Is(err, errHTTP2) {
			return l.rest.RoundTrip(r)
		}
		if err != nil {
			return nil, ended(r.Context(), err)
		}
		response, err := conn.exchange(r)
		if err == nil {
			return response, nil
		}
		if !conn.used || !is[*unansweredError](err) || !changesNothing(r) || r.Context().Value(sentOnce{}) != nil {
			return nil, ended(r.Context(), err)
		}
	}
}

func (l *lean) takes(r *http.Request) bool {
	return !l.http2.Load() && (bodiless(r) || r.GetBody != nil && r.ContentLength <= shortBody)
}

func bodiless(r *http.Request) bool { return r.Body == nil || r.Body == http.NoBody }

func changesNothing(r *http.Request) bool {
	return bodiless(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// conn returns an idle connection that the service has not closed, or a new one.
func (l *lean) conn(ctx context.Context) (*leanConn, error) {
	for {
		conn := l.take()
		if conn == nil {
			return l.dial(ctx)
		}
		if conn.limit(ctx) == nil && conn.alive() {
			return conn, nil
		}
		_ = conn.Close()
	}
}

// dial makes a connection, with TLS if the address has https.
func (l *lean) dial(ctx context.Context) (*leanConn, error) {
	socket, err := l.rest.DialContext(ctx, "tcp", l.address)
	if err != nil {
		return nil, err
	}
	conn := socket
	if l.trust != nil {
		if conn, err = l.secure(ctx, socket); err != nil {
			_ = socket.Close()
			return nil, err
		}
	}
	c := newLeanConn(l, conn, socket)
	if err := c.limit(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// secure begins TLS; errHTTP2 if the service chooses HTTP/2.
func (l *lean) secure(ctx context.Context, socket net.Conn) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.rest.TLSHandshakeTimeout)
	defer cancel()
	conn := tls.Client(socket, l.trust)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	if conn.ConnectionState().NegotiatedProtocol == "h2" {
		l.http2.Store(true)
		return nil, errHTTP2
	}
	return conn, nil
}

// take removes the idle connection that was used last; nil if there is none.
func (l *lean) take() *leanConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.idle) - 1
	if last < 0 {
		return nil
	}
	conn := l.idle[last]
	l.idle = slices.Delete(l.idle, last, last+1)
	return conn
}

// keep makes conn idle.
func (l *lean) keep(conn *leanConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.idle) >= idlePerHost {
		_ = conn.Close()
		return
	}
	conn.used, conn.since = true, time.Now() //nolint:forbidigo // The service closes idle connections by the machine's own time.
	l.idle = append(l.idle, conn)
	if l.sweeps == nil {
		l.sweeps = time.AfterFunc(idleFor, l.sweep)
	}
}

// sweep closes the connections that were idle for idleFor.
func (l *lean) sweep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, old := time.Now(), 0 //nolint:forbidigo // The service closes idle connections by the machine's own time.
	for ; old < len(l.idle) && now.Sub(l.idle[old].since) >= idleFor; old++ {
		_ = l.idle[old].Close()
	}
	l.idle, l.sweeps = slices.Delete(l.idle, 0, old), nil
	if len(l.idle) > 0 && !l.closed {
		l.sweeps = time.AfterFunc(l.idle[0].since.Add(idleFor).Sub(now), l.sweep)
	}
}

// close closes the idle connections, and each other one once its exchange has ended.
func (l *lean) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.idle {
		_ = conn.Close()
	}
	l.idle, l.closed = nil, true
	if l.sweeps != nil {
		l.sweeps.Stop()
	}
	l.rest.CloseIdleConnections()
}

// ended returns why ctx has ended, or else err: a connection that was given up for it
// has errors of its own. A connection's deadline is its context's, and may come first.
func ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	case ctx.Err() == nil:
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return ctx.Err()
}
