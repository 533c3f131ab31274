// Package appclient is the HTTP client of an app: bearer session, registration, sign-in,
// transaction, removal. It stands beside the software authenticators so that a terminal can be
// the app.
//
// It knows nothing of authenticators: requests and responses pass through as text. It
// keeps nothing but the session's token, which never leaves it.
package appclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/dpop"
)

const (
	// timeout leaves room for a call that waits for a person's device.
	timeout = 90 * time.Second
	// maxAnswer is the longest answer read.
	maxAnswer = 1 << 20
)

// Options are of one client. URL is required.
type Options struct {
	// URL is Countersign's public origin: https, or http on this machine.
	URL string
	// Key makes the client prove with every request that it holds it, so that its session is
	// bound to it (RFC 9449); nil for a client whose token opens its session alone. Now is
	// the clock of its proofs.
	Key *dpop.Key
	Now func() time.Time
	// Trace is called with every exchange after its end; it may be nil.
	Trace func(Exchange)
}

// Exchange is one call and its answer, without secrets: tokens and passwords in the
// bodies are replaced by an ellipsis.
type Exchange struct {
	Method, Path string
	// Bearer says that the session's token was sent; Asked that a new one was requested.
	Bearer, Asked bool
	// Proven says that a proof of the client's key went with it.
	Proven         bool
	Sent, Received []byte // may be nil
	Status         int    // 0 without an answer
	RequestID      string
}

// Client is one app with at most one session. It is not safe for concurrent use.
type Client struct {
	base  string
	http  *http.Client
	trace func(Exchange)
	token string
	key   *dpop.Key
	now   func() time.Time
	nonce string // the server's newest
}

// New makes a client without a session.
func New(o Options) (*Client, error) {
	base, err := origin(o.URL)
	if err != nil {
		return nil, err
	}
	trace := o.Trace
	if trace == nil {
		trace = func(Exchange) {}
	}
	return &Client{
		base: base, trace: trace, key: o.Key, now: o.Now,
		// A redirect would lead to another server's answer.
		http: &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Origin returns the URL as an origin: the one in FIDO2 client data and UAF facets.
func (c *Client) Origin() string { return c.base }

// Loopback reports whether the client talks to this machine.
func (c *Client) Loopback() bool {
	u, err := url.Parse(c.base)
	return err == nil && loopback(u.Hostname())
}

func origin(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil:
		return "", fmt.Errorf("%q is not an address such as https://countersign.example", text)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", fmt.Errorf("%q: plain http is for this machine alone: it would show the password to the network", text)
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%q is neither https nor http", text)
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// call sends in as JSON, or nothing if it is nil, and decodes the answer into out unless
// that is nil. A refusal is a *Problem.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in, json.Deterministic(true)); err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	status, answer, err := c.send(ctx, method, path, body)
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", method, path, err)
	case status >= http.StatusBadRequest:
		return problem(status, answer)
	case status >= http.StatusMultipleChoices:
		return fmt.Errorf("%s %s: an answer of status %d", method, path, status)
	case out == nil || len(answer) == 0:
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, errAnswer)
	}
	return nil
}

var errAnswer = errors.New("the answer cannot be read")

// send makes a request, and once more if the server asks for a nonce in the proof.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (int, []byte, error) {
	nonce := c.nonce
	status, answer, err := c.sendOnce(ctx, method, path, body)
	if err == nil && status == http.StatusUnauthorized && c.key != nil && c.nonce != nonce {
		return c.sendOnce(ctx, method, path, body)
	}
	return status, answer, err
}

func (c *Client) sendOnce(ctx context.Context, method, path string, body []byte) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	exchange := Exchange{Method: method, Path: path, Sent: mask(body), Bearer: c.token != "", Asked: c.token == "", Proven: c.key != nil}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	if err := c.authorize(request); err != nil {
		return 0, nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.trace(exchange)
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	exchange.Status, exchange.Received, exchange.RequestID = response.StatusCode, mask(answer), response.Header.Get("X-Request-Id")
	c.trace(exchange)
	c.take(answer)
	if nonce := response.Header.Get(dpop.NonceHeader); nonce != "" {
		c.nonce = nonce
	}
	return response.StatusCode, answer, err
}

// authorize adds the token, or asks for one, and the proof.
func (c *Client) authorize(request *http.Request) error {
	scheme := "Bearer "
	if c.key != nil {
		scheme = dpop.Scheme + " "
		proof, err := c.key.Prove(dpop.Call{Method: request.Method, URL: request.URL.String(), Token: c.token, Nonce: c.nonce}, c.now())
		if err != nil {
			return err
		}
		request.Header.Set(dpop.Header, proof)
	}
	if c.token != "" {
		request.Header.Set("Authorization", scheme+c.token)
	} else {
		request.Header.Set("Countersign-Session", "bearer")
	}
	return nil
}

// take keeps the token of an answer that has one: a login's, or that of the pre-session
// between a ceremony and its login.
func (c *Client) take(answer []byte) {
	var body struct {
		SessionToken string `json:"sessionToken"`
	}
	if err := json.Unmarshal(answer, &body); err == nil && body.SessionToken != "" {
		c.token = body.SessionToken
	}
}

// secrets are the members that no trace shows.
var secrets = map[string]bool{
	"sessionToken": true, "passKey": true, "staticPassword": true, "activationPassword": true, "OTP": true,
}

// mask returns body with an ellipsis for each secret. Of a body that is not JSON it
// returns only the length.
func mask(body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Appendf(nil, "(%d bytes, not JSON)", len(body))
	}
	masked, err := json.Marshal(masked(value), json.Deterministic(true), jsontext.EscapeForHTML(false))
	if err != nil {
		return fmt.Appendf(nil, "(%d bytes)", len(body))
	}
	return masked
}

func masked(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = masked(member)
			if secrets[name] {
				v[name] = "…"
			}
		}
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	}
	return value
}
