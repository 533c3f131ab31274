package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// idlePerHost decides the throughput: by default net/http keeps two idle connections
	// per host and closes the rest after every burst.
	idlePerHost = 512
	// idleFor is less than the 60 s after which load balancers close an idle connection,
	// so that we close it first: a POST on a connection that is being closed fails,
	// because it must not be sent twice.
	idleFor = 45 * time.Second
	// dialFor limits connecting to the host, so that an unreachable host leaves time for
	// another try within the call's time-out.
	dialFor = 3 * time.Second
	// maxHeader limits the header of a response.
	maxHeader = 64 << 10
	// readAtOnce is the size of the buffer for responses: most of them come in one piece.
	readAtOnce = 8 << 10
)

// newTransport returns net/http's transport with what its defaults lack: many idle
// connections, no proxy from the environment, and pings, without which one dead HTTP/2
// connection fails every call until TCP gives up.
func newTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: min(dialFor, o.Timeout), KeepAlive: 15 * time.Second}
	secure := strings.HasPrefix(strings.ToLower(o.BaseURL), "https:")
	trust := &tls.Config{}
	if o.TLS != nil {
		trust = o.TLS.Clone()
	}
	trust.MinVersion = max(trust.MinVersion, tls.VersionTLS12)
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			socket, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return newConnection(socket, secure), nil
		},
		TLSClientConfig:        trust,
		TLSHandshakeTimeout:    min(dialFor, o.Timeout),
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		ReadBufferSize:         readAtOnce,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 3 * time.Second},
	}
}

// untrusted reports whether err is about certificates: the server's, which we do not
// trust, or ours, which the server refused. A retry does not help, and the service is not
// down.
func untrusted(err error) bool {
	remote, ok := errors.AsType[*net.OpError](err)
	return is[*tls.CertificateVerificationError](err) || ok && remote.Op == "remote error"
}
