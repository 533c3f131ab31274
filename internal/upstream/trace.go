package upstream

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// exchange sends r once for the operation. With a tracer, it makes a span that ends with
// the response's head, and passes it on to the platform (W3C Trace Context). The span
// names the operation but no path, because paths contain people's names.
func (c *Client) exchange(operation string, r *http.Request) (*http.Response, error) {
	if c.tracer == nil {
		return c.transport.RoundTrip(r)
	}
	ctx, span := c.tracer.Start(r.Context(), "platform "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", r.Method), attribute.String("countersign.service", c.name),
		attribute.String("countersign.operation", operation),
	))
	defer span.End()
	r = r.Clone(ctx)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := c.transport.RoundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "no response")
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	return response, nil
}
