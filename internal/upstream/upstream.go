// Package upstream is the HTTP client of the platform: credentials, timeouts, retries, circuit
// breaker, limits.
//
// It knows no endpoint and no payload. A refusal is fault.PlatformRefused with the
// platform's *Error as its cause; the typed client above, by its table of operations,
// decides what a refusal of an operation means.
//
// The platform's credential, fixed or a token of OAuth 2.0, is added at the last moment, and
// only to requests for the base address. Redirects are not followed and no proxy from the environment is used, so
// that it cannot travel elsewhere. It is redacted in the platform's words, so that an
// echo does not reach the log.
package upstream

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/net/http/httpguts"
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
	// Name is the service's name in logs and errors, such as "identity".
	Name string
	// BaseURL is the service's http or https address. It may end in a path,
	// such as /v1, and holds neither user, query nor fragment.
	BaseURL string
	// Authorization is the fixed value of that header. Empty sends none.
	Authorization string
	// OAuth, if given, takes the place of Authorization: the header carries an access token,
	// which is renewed before it ends and when the service refuses it.
	OAuth *OAuth
	// Version is Countersign's own: requests carry User-Agent Countersign/Version, or
	// Countersign alone where it is empty.
	Version string
	// Header is sent with every request, in addition.
	Header http.Header
	// TLS holds the client certificate and the authorities trusted for https. Nil
	// trusts the system's authorities and shows no certificate.
	TLS *tls.Config
	// Timeout limits a whole call, with its retries and the reading of the response. Zero
	// stands for 10 s.
	Timeout time.Duration
	// MaxResponse limits the bytes of a response; a longer one is refused. Zero stands
	// for 1 MiB.
	MaxResponse int64
	// OutagesToOpen is the number of consecutive outages after which calls are refused
	// untried. Zero stands for 10.
	OutagesToOpen uint
	// OpenFor is the time of such refusals before one call is let through as a trial. Zero
	// stands for 1 s.
	OpenFor time.Duration
	// Logger gets the opening and closing of the circuit, and retries. Nil logs nothing.
	Logger *slog.Logger
	// Observe, if given, is called with the result of each call.
	Observe func(Observation)
	// Now is the clock that Observe and OAuth need.
	Now func() time.Time
	// Tracer makes spans of the requests; nil makes none.
	Tracer trace.Tracer
	// Tap, if given, returns the transport instead of the one that it is given.
	Tap func(http.RoundTripper) http.RoundTripper
}

// Client calls one service of the platform. It is safe for concurrent use.
type Client struct {
	name        string
	base        *url.URL
	baseText    string // of base
	access      atomic.Pointer[access]
	tokens      *tokens  // nil if the access's authorization stands for all calls
	userAgent   []string // the header's one value, which nobody writes into
	timeout     time.Duration
	maxResponse int64
	tracer      trace.Tracer // nil makes no spans
	retry       failsafe.Executor[*response]
	circuit     *circuit
	observe     func(Observation)
	now         func() time.Time
}

// New checks o and makes its Client. Nothing is dialled before the first call. The errors
// say what is wrong without showing a credential.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream %s: %w", o.Name, err)
	}
	if err := checkCredentials(o, base); err != nil {
		return nil, fmt.Errorf("upstream %s: %w", o.Name, err)
	}
	if (o.Observe != nil || o.OAuth != nil) && o.Now == nil {
		return nil, fmt.Errorf("upstream %s: tokens and what is observed need a clock", o.Name)
	}
	o = withDefaults(o)
	c := &Client{
		name:        o.Name,
		base:        base,
		baseText:    base.String(),
		userAgent:   []string{userAgent(o.Version)},
		timeout:     o.Timeout,
		maxResponse: o.MaxResponse,
		tracer:      o.Tracer,
		retry:       newRetry(o),
		observe:     o.Observe,
		now:         o.Now,
	}
	c.access.Store(newAccess(o))
	c.circuit = newCircuit(o, c.isThere)
	if o.OAuth != nil {
		c.tokens = c.newTokens(o)
	}
	return c, nil
}

// userAgent returns our User-Agent. Characters of the version that no header may contain,
// such as the brackets of (devel), are left out.
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

// At returns the address of an escaped path, which begins with a slash, below the base
// address.
func (c *Client) At(path string) string { return c.baseText + path }

// URL returns a copy of the base address, for a relay that rewrites requests
// to it.
func (c *Client) URL() *url.URL {
	base := *c.base
	return &base
}

// Circuit returns the state of the circuit breaker: closed, half-open or open. An open
// one stays so until the next call.
func (c *Client) Circuit() string { return c.circuit.breaker.State().String() }

// Close closes the idle connections, and ends a question and a request for a token.
func (c *Client) Close() {
	c.circuit.end()
	c.access.Load().transport.CloseIdleConnections()
	if c.tokens != nil {
		c.tokens.close()
	}
}

// String returns the service's name and host, which is all that fmt may show of a Client.
func (c *Client) String() string { return c.name + " at " + c.base.Host }

func parseBase(raw string) (*url.URL, error) {
	base, err := url.Parse(raw)
	switch {
	case err != nil:
		// url.Parse repeats its input, which may contain a password.
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
	if err := o.OAuth.check(); err != nil {
		return err
	}
	if o.TLS != nil && base.Scheme != "https" {
		return errors.New("TLS is configured, but the base address is not https")
	}
	return checkTLS(o.TLS)
}

func checkTLS(c *tls.Config) error {
	if c != nil && c.InsecureSkipVerify {
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

// credentialParts returns the texts that an echo of the credential may contain: the whole
// value, and the part after its scheme.
func credentialParts(authorization string) []string {
	parts := []string{authorization}
	if _, value, ok := strings.Cut(authorization, " "); ok {
		parts = append(parts, strings.TrimSpace(value))
	}
	return parts
}
