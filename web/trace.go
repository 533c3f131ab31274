package web

import (
	"fmt"
	"strings"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/request"
)

// traced makes a span of the request, below the one that a trusted proxy names. The span
// names the route and the result, and nothing about the person.
func (e *edge) traced(c *gin.Context) {
	state := request.From(c)
	ctx := propagation.TraceContext{}.Extract(c.Request.Context(), propagation.MapCarrier{"traceparent": state.TraceParent})
	ctx, span := e.Tracer.Start(ctx, c.Request.Method+" "+routeOf(c), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", knownMethod(c.Request.Method)), attribute.String("http.route", routeOf(c)),
		attribute.String("countersign.request", state.ID),
	))
	defer func() { // also where the connection is given up
		status := c.Writer.Status()
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}()
	own := span.SpanContext()
	state.TraceParent = fmt.Sprintf("00-%s-%s-%s", own.TraceID(), own.SpanID(), own.TraceFlags())
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

// sampledTrace returns the trace id of a request whose spans are made and sampled, else "".
func (e *edge) sampledTrace(state *request.State) string {
	if e.Tracer == nil || !strings.HasSuffix(state.TraceParent, "-01") {
		return ""
	}
	return traceID(state.TraceParent)
}
