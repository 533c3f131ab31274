package upstream

import (
	"errors"
	"io"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// exchange sends r once for the operation. With a tracer, it makes a span that ends with
// the response's head, and passes it on to the platform (W3C Trace Context). The span
// names the operation but no path, because paths contain people's names.
func (c *Client) exchange(operation string, r *http.Request) (*http.Response, *journey, error) {
	if c.tracer == nil {
		return c.roundTrip(r)
	}
	ctx, span := c.tracer.Start(r.Context(), "platform "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", r.Method), attribute.String("countersign.service", c.name),
		attribute.String("countersign.operation", operation),
	))
	defer span.End()
	r = r.Clone(ctx)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, way, err := c.roundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "no response")
		return nil, nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	return response, way, nil
}

// roundTrip sends r, and again as long as nothing of it was sent, because the platform had
// closed an idle connection meanwhile. The error is an *unsentError if nothing was sent.
func (c *Client) roundTrip(r *http.Request) (*http.Response, *journey, error) {
	for {
		ctx, way := follow(r.Context())
		response, err := c.access.Load().through.RoundTrip(r.WithContext(ctx))
		switch {
		case err == nil && response.StatusCode == http.StatusSwitchingProtocols:
			response.Body.Close() // it would be read without limit: no context ends it
			return nil, nil, errSwitched
		case err == nil && (way.conn == nil || way.isSent()):
			return response, way, nil
		case err == nil: // it is no response to r
			response.Body.Close()
			way.abandon()
			err = errNotQuiet
		case way.isSent():
			return nil, nil, err
		}
		if !way.reused || ctx.Err() != nil || !rewind(r) {
			return nil, nil, &unsentError{err}
		}
	}
}

var errSwitched = errors.New("the platform switches to another protocol")

// unsentError is the error of a request of which nothing was sent.
type unsentError struct{ cause error }

func (e *unsentError) Error() string { return e.cause.Error() }
func (e *unsentError) Unwrap() error { return e.cause }

// rewind makes r ready to be sent again, and reports whether that is possible.
func rewind(r *http.Request) bool {
	switch {
	case r.Body == nil, r.Body == http.NoBody, r.Body == onceBody:
		return true
	case r.GetBody == nil:
		return false
	}
	body, err := r.GetBody()
	r.Body = body
	return err == nil
}

// onceBody is an empty body with which net/http does not send a request again.
var onceBody io.ReadCloser = emptyBody{}

type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }
