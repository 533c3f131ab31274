package signingproxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/payload"
	"countersign/internal/request"
)

const keyHeader = "Idempotency-Key"

// ReplayedHeader is "true" on an answer that repeats the answer to an earlier use of the
// key.
const ReplayedHeader = "Idempotency-Replayed"

// IdempotencyKey returns the Idempotency-Key of a request, "" if it has none, and
// request.invalid if it has several or a malformed one.
func IdempotencyKey(r *http.Request) (string, error) {
	keys := r.Header.Values(keyHeader)
	if len(keys) == 0 {
		return "", nil
	}
	if len(keys) > 1 || !idempotency.ValidKey(keys[0]) {
		return "", payload.Violation("/"+keyHeader, "field.idempotency-key")
	}
	return keys[0], nil
}

// idempotent returns a handler that runs serve once for each Idempotency-Key of a person,
// and replays its answer when the key is used again. Without a key it always runs serve.
func idempotent(serve func(*Proxy, *call) error) func(*Proxy, *call) error {
	return func(p *Proxy, c *call) error {
		key, err := IdempotencyKey(c.gin.Request)
		if err != nil {
			return err
		}
		if key == "" {
			return serve(p, c)
		}
		r := c.gin.Request
		var first idempotency.Answer
		var failed error
		kept, replayed, err := p.Service.Once.Do(r.Context(), idempotency.Request{
			Person: c.who.User, Key: key, Method: c.Method, Path: fmt.Sprintf("%s %q %q", c.Path, c.values, r.URL.Query()["for"]),
			ContentType: r.Header.Get("Content-Type"), Body: http.MaxBytesReader(c.gin.Writer, r.Body, p.MaxUpload),
		}, idempotency.Work{
			Send: func(ctx context.Context, attempt *idempotency.Attempt) (idempotency.Answer, error) {
				first, failed = p.sendOnce(ctx, c, attempt, serve)
				return first, failed
			},
			Find: func(ctx context.Context, mark string, since time.Time) (idempotency.Answer, bool, error) {
				return p.findMade(ctx, c, mark, since)
			},
		})
		switch {
		case err != nil:
			return err
		case replayed:
			c.gin.Header(ReplayedHeader, "true")
			return p.sendAnswer(c, kept)
		case failed != nil:
			return failed
		}
		return p.sendAnswer(c, first)
	}
}

// sendAnswer sends a kept answer.
func (p *Proxy) sendAnswer(c *call, answer idempotency.Answer) error {
	maps.Copy(c.gin.Writer.Header(), answer.Header)
	c.gin.Status(answer.Status)
	_, err := c.gin.Writer.Write(answer.Body)
	return err
}

// kept lists the headers that are kept with an answer.
var kept = []string{"Content-Type", "Content-Language"}

// sendOnce runs serve for c under its key. It returns the answer without sending it, so
// that the answer is kept before the client can ask again.
func (p *Proxy) sendOnce(ctx context.Context, c *call, attempt *idempotency.Attempt, serve func(*Proxy, *call) error) (idempotency.Answer, error) {
	original, held := c.gin.Writer, &heldAnswer{ResponseWriter: c.gin.Writer, status: http.StatusOK, header: http.Header{}}
	c.gin.Writer = held
	defer func() { c.gin.Writer = original }()
	c.attempt, c.mark = attempt, attempt.Token()
	c.gin.Request = c.gin.Request.WithContext(ctx)
	c.gin.Request.Body = io.NopCloser(attempt.Body())
	if err := serve(p, c); err != nil {
		if cut := request.From(c.gin).AbortCause(); cut != nil {
			return idempotency.Answer{}, cut
		}
		if isTransient(err) {
			return idempotency.Answer{}, err
		}
		_ = c.gin.Error(err) // for the log
		request.From(c.gin).Refuse(err)
	}
	answer := idempotency.Answer{Status: held.status, Header: http.Header{}, Body: held.body.Bytes()}
	for _, name := range kept {
		if values := held.Header().Values(name); len(values) > 0 {
			answer.Header[name] = slices.Clone(values)
		}
	}
	return answer, nil
}

// isTransient reports whether the same request may succeed when it is repeated.
func isTransient(err error) bool {
	status := fault.From(err).Row().Status
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests || fault.Is(err, fault.RequestCancelled)
}

// findMade returns the answer for the package that bears mark, if there is one.
func (p *Proxy) findMade(ctx context.Context, c *call, mark string, since time.Time) (idempotency.Answer, bool, error) {
	id, ok, err := p.Service.FindMade(ctx, c.who, c.Name, mark, since)
	if err != nil || !ok {
		return idempotency.Answer{}, false, err
	}
	body, err := json.Marshal(map[string]string{"id": id})
	return idempotency.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {request.JSONType}}, Body: body}, err == nil, err
}

// heldAnswer buffers an answer instead of sending it.
type heldAnswer struct {
	gin.ResponseWriter
	status int
	header http.Header
	body   bytes.Buffer
}

// Header returns the headers of the buffered answer, apart from those of the real one.
func (w *heldAnswer) Header() http.Header { return w.header }

// WriteHeader sets the status.
func (w *heldAnswer) WriteHeader(status int) { w.status = status }

// WriteHeaderNow sends nothing.
func (w *heldAnswer) WriteHeaderNow() {}

// Write appends a part of the body.
func (w *heldAnswer) Write(p []byte) (int, error) { return w.body.Write(p) }

// WriteString appends a part of the body.
func (w *heldAnswer) WriteString(s string) (int, error) { return w.body.WriteString(s) }

// Status returns the status of the answer.
func (w *heldAnswer) Status() int { return w.status }

// Size returns the length of the body.
func (w *heldAnswer) Size() int { return w.body.Len() }

// Written reports whether a part of the body was written.
func (w *heldAnswer) Written() bool { return w.body.Len() > 0 }

// Flush sends nothing.
func (w *heldAnswer) Flush() {}
