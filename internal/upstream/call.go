package upstream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/reqctx"
)

// Call is one operation of the platform.
type Call struct {
	// Operation is the platform's name for it, in errors and logs.
	Operation string
	Method    string
	// Path is joined to the base address. It starts with a slash, is escaped
	// already, and may carry a query.
	Path string
	// Body is sent as JSON; nil sends none.
	Body any
	// Idempotent allows the call to be repeated after a failed connection, a
	// 502 or a 503, within the same time-out.
	Idempotent bool
	// Timeout replaces Options.Timeout for a call that may take longer.
	Timeout time.Duration
	// Secrets are values in Body that no error may show, even where the
	// platform repeats them in its message.
	Secrets []string
}

// JSON sends call and decodes the platform's 2xx answer into out, which may be
// nil. An answer without a body leaves out as it is: what has to be there is
// for the caller to check. Every error but a Body that cannot be encoded is a
// *fault.Error:
//
//   - request.cancelled: ctx was cancelled by whoever we serve;
//   - platform.unavailable, with RetryAfter: no connection, no answer in time,
//     429, 503, or the circuit is open;
//   - platform.failed: another 5xx, 401, 403, a redirect, a certificate that is
//     not trusted, or an answer that is cut, too large or not the JSON it has
//     to be;
//   - platform.refused: every other 4xx, and an *Error is in the chain;
//   - server.internal: Path does not lead under the base address.
func (c *Client) JSON(ctx context.Context, call Call, out any) error {
	body, err := encode(call)
	if err != nil {
		return err
	}
	ended := c.begin(ctx, call.Operation)
	a, err := c.guarded(ctx, call, body)
	ended(a, err)
	if err := c.verdict(ctx, call, a, err); err != nil {
		return err
	}
	return a.decode(call, out)
}

func encode(call Call) ([]byte, error) {
	if call.Body == nil {
		return nil, nil
	}
	// A form can carry bytes that are not UTF-8. They are replaced, and judged
	// by the platform as what they are: a wrong password.
	body, err := json.Marshal(call.Body, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", call.Operation, err)
	}
	return body, nil
}

// once sends the call one time and reads the answer to its end, or to the cap.
func (c *Client) once(ctx context.Context, call Call, body []byte) (*answer, error) {
	request, err := c.request(ctx, call, body)
	if err != nil {
		return nil, err
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a := &answer{status: response.StatusCode, header: response.Header}
	noteCorrelation(ctx, a.correlation())
	return a, c.read(a, response.Body)
}

// read takes in the body of a. Of an error as much is kept as there is and is
// of use: the status has said what matters.
func (c *Client) read(a *answer, body io.Reader) error {
	if !a.success() {
		a.body, _ = io.ReadAll(io.LimitReader(body, maxErrorBody))
		return nil
	}
	var err error
	a.body, err = io.ReadAll(io.LimitReader(body, c.maxAnswer+1))
	switch {
	case err != nil:
		return &cutError{status: a.status, cause: err}
	case int64(len(a.body)) > c.maxAnswer:
		return &oversizeError{status: a.status, limit: c.maxAnswer}
	}
	return nil
}

func (c *Client) request(ctx context.Context, call Call, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, call.Method, c.base.String()+call.Path, bytes.NewReader(body))
	if err != nil || !c.covers(request.URL) {
		return nil, &addressError{path: call.Path}
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	c.dress(ctx, request.Header)
	return request, nil
}

// dress adds what every request for the platform carries: who we are, which
// request of ours this is about, and the credential.
func (c *Client) dress(ctx context.Context, h http.Header) {
	h.Set("User-Agent", "Countersign")
	if id := printable(reqctx.From(ctx).ID); id != "" {
		h.Set("X-Request-Id", id)
	}
	h.Del("Authorization")
	if c.authorization != "" {
		h.Set("Authorization", c.authorization)
	}
}

// RoundTrip lets a Client be the transport of a streaming relay. It adds the
// credential in the place of any Authorization or Cookie, and refuses requests
// whose URL is not under the base address. The circuit breaker judges the
// outcome; bodies stream both ways, so nothing is repeated or capped, and the
// request's context alone bounds the time. Answers of any status are handed
// over as they are. Its errors are those of JSON.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	call := Call{Operation: "relay " + r.Method}
	if !c.covers(r.URL) {
		return nil, c.trouble(ctx, call, &addressError{path: r.URL.Path})
	}
	ended := c.begin(ctx, "relay")
	trial, err := c.permit()
	if err != nil {
		ended(nil, err)
		return nil, c.trouble(ctx, call, err)
	}
	out := r.WithContext(ctx)
	out.Header = r.Header.Clone()
	out.Header.Del("Cookie")
	out.Host = c.base.Host
	c.dress(ctx, out.Header)
	response, err := c.transport.RoundTrip(out)
	if err != nil {
		ended(nil, err)
		c.recordRelay(ctx, trial, nil, err)
		return nil, c.trouble(ctx, call, err)
	}
	a := &answer{status: response.StatusCode, header: response.Header}
	ended(a, nil)
	noteCorrelation(ctx, a.correlation())
	c.recordRelay(ctx, trial, a, nil)
	return response, nil
}

// covers reports whether u is under the base address, with no segment that
// would lead out of it again.
func (c *Client) covers(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && u.Host == c.base.Host && strings.HasPrefix(u.Path, c.base.Path+"/") && !climbs(u.Path)
}

// noteCorrelation keeps the platform's name for this exchange for our log.
func noteCorrelation(ctx context.Context, id string) {
	if id != "" {
		info := reqctx.From(ctx)
		info.Correlations = append(info.Correlations, id)
	}
}

// printable returns s if it can stand in a header and a log line: at most 128
// visible ASCII characters; otherwise nothing.
func printable(s string) string {
	if len(s) > 128 {
		return ""
	}
	for _, b := range []byte(s) {
		if b <= ' ' || b > '~' {
			return ""
		}
	}
	return s
}
