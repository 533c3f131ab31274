package upstream

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	// idlePerHost decides throughput: net/http keeps two idle connections per host
	// by default and closes the rest after every burst.
	idlePerHost = 512
	// idleFor stays under the 60 s after which load balancers close an idle
	// connection, so that we close it first: a POST that meets a connection being
	// closed fails, because it must not be sent twice.
	idleFor = 45 * time.Second
	// dialFor bounds reaching the host, so that a black hole leaves time for
	// another try within the call's time-out.
	dialFor = 3 * time.Second
	// maxHeader caps the header of a response.
	maxHeader = 64 << 10
)

// newTransport is net/http's transport with what its defaults lack: many idle
// connections, no proxy of the environment, and pings, without which one dead
// HTTP/2 connection fails every call until TCP gives up.
func newTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: min(dialFor, o.Timeout), KeepAlive: 15 * time.Second}
	trust := &tls.Config{}
	if o.TLS != nil {
		trust = o.TLS.Clone()
	}
	trust.MinVersion = max(trust.MinVersion, tls.VersionTLS12)
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        trust,
		TLSHandshakeTimeout:    min(dialFor, o.Timeout),
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 3 * time.Second},
	}
}

// untrusted reports whether err is about certificates: theirs, which we do not
// trust, or ours, which they refused. A retry does not help, and the service is
// not down.
func untrusted(err error) bool {
	remote, ok := errors.AsType[*net.OpError](err)
	return is[*tls.CertificateVerificationError](err) || ok && remote.Op == "remote error"
}
