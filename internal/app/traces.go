package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Collector is the destination of spans, or of metrics.
type Collector struct {
	// URL is its address for OTLP over HTTP in JSON; empty sends nothing.
	URL string
	// Header is added to requests to it.
	Header http.Header
}

// exportTimeout limits one delivery of spans or metrics.
const exportTimeout = 10 * time.Second

// openTraces begins to export spans if a collector is set; otherwise there is neither
// hook nor middleware. OpenTelemetry's own variables decide how many spans are made, how
// they are batched and what they say of the service.
func (a *App) openTraces(ctx context.Context) error {
	if a.traces.URL == "" {
		return nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { a.logger.Warn("trace export failed", "cause", err.Error()) }))
	about, err := a.about(ctx)
	if err != nil {
		return err
	}
	a.tracing = sdktrace.NewTracerProvider(sdktrace.WithBatcher(&exporter{a.traces, &http.Client{Timeout: exportTimeout}}), sdktrace.WithResource(about))
	a.tracer = a.tracing.Tracer("countersign")
	return nil
}

// about says what spans and metrics are about.
func (a *App) about(ctx context.Context) (*resource.Resource, error) {
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "countersign"), attribute.String("service.version", a.version)), resource.WithFromEnv())
	if err != nil {
		err = fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return about, err
}

// exporter sends spans as OTLP over HTTP in JSON. OpenTelemetry's own exporter would
// bring gRPC and another JSON, three megabytes of memory even without spans.
type exporter struct {
	Collector
	client *http.Client
}

var _ sdktrace.SpanExporter = (*exporter)(nil)

// ExportSpans sends one batch. A batch that the collector refuses is lost.
func (x *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	body, err := otlp(spans)
	if err != nil {
		return err
	}
	return x.send(ctx, body)
}

// send sends one message of JSON.
func (x *exporter) send(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = x.Header.Clone()
	r.Header.Set("Content-Type", "application/json")
	response, err := x.client.Do(r)
	if err != nil {
		return errors.New("the collector does not answer") // the original error contains the address, which may have a password
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection is reused
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the collector answers %d", response.StatusCode)
	}
	return nil
}

// Shutdown closes idle connections.
func (x *exporter) Shutdown(context.Context) error {
	x.client.CloseIdleConnections()
	return nil
}
