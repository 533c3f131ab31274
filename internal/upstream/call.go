package upstream

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/reqctx"
)

// Call is one call of a platform operation.
type Call struct {
	// Operation is the platform's name for the operation, for errors and logs.
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
	// Once has the request sent a single time: it is sent again only where nothing of it
	// was. It goes with a call that is not Idempotent.
	Once bool
	// Timeout replaces Options.Timeout for a call that may take longer.
	Timeout time.Duration
	// MaxResponse replaces Options.MaxResponse for a call with a smaller limit.
	MaxResponse int64
	// Memory is overwritten by the response that Body returns, if its capacity is large
	// enough; nil takes new memory.
	Memory []byte
	// Unguarded makes the call whatever the circuit's state, and its result does not
	// count for the circuit: it examines why another call failed.
	Unguarded bool
	// Check judges the body of a 2xx response; nil takes any. Its error makes the call
	// platform.failed, as Unreadable, and closes the connection: the response may belong to
	// another request.
	Check func(body []byte) error
	// Secrets are values in Body that no error may show, even where the
	// platform repeats them in its message.
	Secrets []string

	authorization string // a token's, instead of the Client's own
}

// JSON sends call and decodes the platform's 2xx response into out, which may be nil. A
// response without a body leaves out unchanged: the caller checks for required members.
// Every error except an unencodable Body is a *fault.Error:
//
//   - request.cancelled: ctx was cancelled by our own client;
//   - platform.unavailable, with RetryAfter: no connection, no response in time,
//     429, 503, or the circuit is open;
//   - platform.failed: another 5xx, 401, 403, a redirect, an untrusted certificate, a
//     refusal that is not the platform's own (Error.Foreign), or a response that breaks
//     off, is too large or is not the expected JSON;
//   - platform.refused: every other 4xx, and an *Error is in the chain;
//   - server.internal: Path does not lead under the base address.
func (c *Client) JSON(ctx context.Context, call Call, out any) error {
	r, err := c.send(ctx, call)
	if err != nil {
		return err
	}
	return r.decode(call, out)
}

// Body is JSON for a caller that reads the platform's 2xx response itself: its body
// as it is.
func (c *Client) Body(ctx context.Context, call Call) ([]byte, error) {
	r, err := c.send(ctx, call)
	if err != nil {
		return nil, err
	}
	return r.body, nil
}

func (c *Client) send(ctx context.Context, call Call) (*response, error) {
	body, err := encode(call)
	if err != nil {
		return nil, err
	}
	if c.tokens == nil {
		return c.sendEncoded(ctx, call, body)
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(call.Timeout, c.timeout))
	defer cancel()
	repeat := call.Idempotent || readsOnly(&http.Request{Method: call.Method}) && body == nil
	return authorized(ctx, c, call, repeat && !call.Once, func(call Call) (*response, error) {
		return c.sendEncoded(ctx, call, body)
	})
}

func (c *Client) sendEncoded(ctx context.Context, call Call, body []byte) (*response, error) {
	ended := c.begin(ctx, call.Operation)
	r, err := c.guarded(ctx, call, body)
	if err == nil {
		err = r.check(call)
	}
	ended(r, err)
	return r, c.result(ctx, call, r, err)
}

func encode(call Call) ([]byte, error) {
	if call.Body == nil {
		return nil, nil
	}
	// A form can carry bytes that are not UTF-8. They are replaced; for the platform that
	// is a wrong password.
	body, err := json.Marshal(call.Body, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", call.Operation, err)
	}
	return body, nil
}

// once sends the call one time and reads the response to its end, or up to the limit.
func (c *Client) once(ctx context.Context, call Call, body []byte) (*response, error) {
	request, err := c.request(ctx, call, body)
	if err != nil {
		return nil, err
	}
	raw, way, err := c.exchange(call.Operation, request)
	if err != nil {
		return nil, err
	}
	defer raw.Body.Close()
	r := newResponse(ctx, raw, way)
	limit := c.maxResponse
	if call.MaxResponse > 0 {
		limit = min(limit, call.MaxResponse)
	}
	return r, r.read(raw, limit, call.Memory)
}

func (c *Client) request(ctx context.Context, call Call, body []byte) (*http.Request, error) {
	var content io.Reader // none, which spares the most frequent calls a reader of nothing
	if len(body) > 0 {
		content = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, call.Method, c.baseText+call.Path, content)
	if err != nil || !c.covers(request.URL) {
		return nil, &addressError{path: call.Path}
	}
	if len(body) > 0 {
		request.Header["Content-Type"] = mediaJSON
	} else if call.Once {
		request.Body = onceBody
	}
	request.Header["Accept"] = mediaJSON
	c.setHeaders(ctx, call, request.Header)
	return request, nil
}

// mediaJSON is the one value of headers that say JSON. All requests share it: nobody writes into
// it, since Set replaces a value and Add copies a full one.
var mediaJSON = []string{"application/json"}

// setHeaders adds the headers of every request to the platform: our name, the id of the
// request that it serves, and the credential.
func (c *Client) setHeaders(ctx context.Context, call Call, h http.Header) {
	access := c.access.Load()
	h["User-Agent"] = c.userAgent
	served := reqctx.From(ctx)
	if id := printable(served.ID); id != "" {
		h.Set("X-Request-Id", id)
	}
	if served.TraceParent != "" {
		h.Set("Traceparent", served.TraceParent)
	}
	h.Del("Authorization")
	if authorization := cmp.Or(call.authorization, access.authorization); authorization != "" {
		h.Set("Authorization", authorization)
	}
	maps.Copy(h, access.header)
}

// covers reports whether u is under the base address, without a segment that leads out of
// it again.
func (c *Client) covers(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && u.Host == c.base.Host && strings.HasPrefix(u.Path, c.base.Path+"/") && !climbs(u.Path)
}
