// Package upstream is the one HTTP core under every call to the platform: base
// address, credentials, time-outs, retries, circuit breaker, size caps, and the
// translation of what went wrong into rows of the fault catalogue.
//
// It knows no endpoint and no payload. A refusal is fault.PlatformRefused with the
// platform's *Error as its cause; the typed client above it, by its table of
// operations, says what a refusal of one operation means.
//
// The platform's credential is added at the last moment, to requests for the
// base address alone. Redirects are not followed and no proxy of the environment
// is used, so that it cannot travel elsewhere, and it is redacted in whatever the
// platform says, so that an echo does not reach the log.
package upstream

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"golang.org/x/net/http/httpguts"

	"go.opentelemetry.io/otel/trace"
)

// Defaults of Options.
const (
	defaultTimeout       = 10 * time.Second
	defaultMaxResponse   = 1 << 20
	defaultOutagesToOpen = 10
	defaultOpenFor       = time.Second
)

// Options says which service a Client calls, and how.
type Options struct {
	// Name is the service in logs and errors, such as "identity".
	Name string
	// BaseURL is the service's http or https address. It may end in a path,
	// such as /v1, and holds neither user, query nor fragment.
	BaseURL string
	// Authorization is the fixed value of that header. Empty sends none.
	Authorization string
	// Version is Countersign's own: requests carry User-Agent Countersign/Version, or
	// Countersign alone where it is empty.
	Version string
	// Header is sent with every request, besides.
	Header http.Header
	// TLS holds the client certificate and the authorities trusted for https. Nil
	// trusts the system's authorities and shows no certificate.
	TLS *tls.Config
	// Timeout bounds a whole call, its retries and the reading of the response
	// included. Zero is 10 s.
	Timeout time.Duration
	// MaxResponse is how many bytes of a response are read before it is refused.
	// Zero is 1 MiB.
	MaxResponse int64
	// OutagesToOpen is how many calls in a row have to end in an outage before
	// calls are refused without being tried. Zero is 10.
	OutagesToOpen uint
	// OpenFor is how long they are refused before one is let through as a
	// trial. Zero is 1 s.
	OpenFor time.Duration
	// Logger gets the opening and closing of the circuit, and retries. Nil logs
	// nothing.
	Logger *slog.Logger
	// Observe, if given, is called with each call that ended.
	Observe func(Observation)
	// Now is the clock that Observe needs.
	Now func() time.Time
	// Tracer makes spans of the requests; nil makes none.
	Tracer trace.Tracer
}

// Client calls one service of the platform. It is safe for concurrent use.
type Client struct {
	name          string
	base          *url.URL
	authorization string
	userAgent     string
	header        http.Header
	secrets       []string
	timeout       time.Duration
	maxResponse   int64
	transport     *http.Transport
	tracer        trace.Tracer // nil makes no spans
	retry         failsafe.Executor[*response]
	breaker       circuitbreaker.CircuitBreaker[any]
	observe       func(Observation)
	now           func() time.Time
}

// New checks o and makes its Client. Nothing is dialled before the first call.
// The errors name what is wrong and never show a credential.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream %s: %w", o.Name, err)
	}
	if err := checkCredentials(o, base); err != nil {
		return nil, fmt.Errorf("upstream %s: %w", o.Name, err)
	}
	if o.Observe != nil && o.Now == nil {
		return nil, fmt.Errorf("upstream %s: what is observed needs a clock", o.Name)
	}
	o = withDefaults(o)
	return &Client{
		name:          o.Name,
		base:          base,
		authorization: o.Authorization,
		userAgent:     userAgent(o.Version),
		header:        o.Header.Clone(),
		secrets:       credentialParts(o.Authorization),
		timeout:       o.Timeout,
		maxResponse:   o.MaxResponse,
		transport:     newTransport(o),
		tracer:        o.Tracer,
		retry:         newRetry(o),
		breaker:       newBreaker(o),
		observe:       o.Observe,
		now:           o.Now,
	}, nil
}

// userAgent is what the platform's log shows of us. What no header may carry of a
// version, such as the brackets of (devel), is left out.
func userAgent(version string) string {
	version = strings.Map(func(r rune) rune {
		if r > '~' || !httpguts.IsTokenRune(r) {
			return -1
		}
		return r
	}, version)
	if version == "" {
		return "Countersign"
	}
	return "Countersign/" + version
}

// URL returns a copy of the base address, for a relay that rewrites requests
// to it.
func (c *Client) URL() *url.URL {
	base := *c.base
	return &base
}

// Circuit is the state of the circuit breaker: closed, half-open or open. An
// open one stays so until somebody calls.
func (c *Client) Circuit() string { return c.breaker.State().String() }

// Close closes the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// String names the service and its host: what fmt may show of a Client.
func (c *Client) String() string { return c.name + " at " + c.base.Host }

func parseBase(raw string) (*url.URL, error) {
	base, err := url.Parse(raw)
	switch {
	case err != nil:
		// url.Parse repeats its input, where a password may stand.
		return nil, errors.New("the base address is not a URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("the base address must be http:// or https:// with a host")
	case base.User != nil, base.RawQuery != "", base.ForceQuery, base.Fragment != "":
		return nil, errors.New("the base address must not hold user, query or fragment")
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = strings.TrimRight(base.RawPath, "/")
	return base, nil
}

func checkCredentials(o Options, base *url.URL) error {
	if !httpguts.ValidHeaderFieldValue(o.Authorization) {
		return errors.New("the Authorization value holds characters no header can carry")
	}
	if o.TLS == nil {
		return nil
	}
	if base.Scheme != "https" {
		return errors.New("TLS is configured, but the base address is not https")
	}
	if o.TLS.InsecureSkipVerify {
		return errors.New("the server's certificate must be verified")
	}
	return nil
}

func withDefaults(o Options) Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxResponse <= 0 {
		o.MaxResponse = defaultMaxResponse
	}
	if o.OutagesToOpen == 0 {
		o.OutagesToOpen = defaultOutagesToOpen
	}
	if o.OpenFor <= 0 {
		o.OpenFor = defaultOpenFor
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("service", o.Name)
	return o
}

// credentialParts are what a response that echoes the credential may hold: the
// whole value, and the part after its scheme.
func credentialParts(authorization string) []string {
	parts := []string{authorization}
	if _, value, ok := strings.Cut(authorization, " "); ok {
		parts = append(parts, strings.TrimSpace(value))
	}
	return parts
}
