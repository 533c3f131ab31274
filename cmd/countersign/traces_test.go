package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"countersign/internal/app"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// A request becomes a span of the trace that a trusted proxy names, with the calls to
// Redis and the platform below it; the collector receives it as OTLP.
func TestTraces_OfRequest(t *testing.T) {
	var mu sync.Mutex
	var exported []string
	var spans []ptrace.Span
	var measured []byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/v1/metrics" {
			measured = body
			return
		}
		exported = append(exported, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Api-Key")+" "+string(body))
		spans = append(spans, collected(t, body)...)
	}))
	defer collector.Close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var out, log logtest.Log
	ended := make(chan int, 1)
	go func() {
		ended <- command{environ: []string{
			"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_LOG_FORMAT=json",
			"COUNTERSIGN_TRUSTED_PROXIES=127.0.0.0/8", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL + "/", "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20key",
		}, stdout: &out, stderr: &log}.run(ctx, nil)
	}()
	var started struct{ Msg, Origin, Admin string }
	e2etest.Eventually(t, "the program has started", func() bool {
		for line := range strings.Lines(log.String()) {
			if json.Unmarshal([]byte(line), &started) == nil && started.Msg == "started" {
				return true
			}
		}
		return false
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, started.Origin+"/users/alice@sandbox/login", strings.NewReader(`{"credentials":{"passKey":"not it"}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	e2etest.Plain(t).Do(r).Want(http.StatusConflict)
	metrics := openMetrics(t, started.Admin)
	end()
	if status := <-ended; status != 0 {
		t.Fatalf("it ended with %d: %s", status, log.String())
	}
	mu.Lock()
	defer mu.Unlock()
	told := strings.Join(exported, "\n")
	if !strings.HasPrefix(told, "POST /v1/traces application/json a key {") {
		t.Errorf("the collector is asked %.80s", told)
	}
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	found := map[string]ptrace.Span{}
	for _, span := range spans {
		if name, _, _ := strings.Cut(span.Name(), " "); span.TraceID().String() == trace {
			found[name] = span
		}
	}
	for _, name := range []string{"POST", "redis", "platform"} {
		if _, there := found[name]; !there {
			t.Fatalf("the trace has no span of %s: %v", name, found)
		}
	}
	request, platform := found["POST"], found["platform"]
	if status, _ := request.Attributes().Get("http.response.status_code"); request.Name() != "POST /users/:user/login" || request.Kind() != ptrace.SpanKindServer ||
		request.ParentSpanID().String() != "00f067aa0ba902b7" || status.Int() != http.StatusConflict {
		t.Errorf("the request is %s below %s, with %v", request.Name(), request.ParentSpanID(), request.Attributes().AsRaw())
	}
	if platform.Name() != "platform login" || platform.Kind() != ptrace.SpanKindClient || platform.ParentSpanID() != request.SpanID() ||
		platform.EndTimestamp() < platform.StartTimestamp() || request.EndTimestamp() < platform.EndTimestamp() {
		t.Errorf("the call is %s below %s", platform.Name(), platform.ParentSpanID())
	}
	if !strings.Contains(metrics, `# {trace_id="`+trace+`"}`) {
		t.Error("no duration has the trace as its exemplar")
	}
	counted(t, measured)
	for _, secret := range []string{"alice", "not it", "cs:"} {
		if strings.Contains(told, secret) || secret != "cs:" && strings.Contains(string(measured), secret) { // a text of help has "metrics:"
			t.Errorf("the collector is told %q", secret)
		}
	}
}

// counted reads the last metrics as the collector reads them: they have the request.
func counted(t *testing.T, body []byte) {
	t.Helper()
	metrics, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(body)
	if err != nil || metrics.ResourceMetrics().Len() != 1 {
		t.Fatalf("the collector cannot read %s: %v", body, err)
	}
	resource := metrics.ResourceMetrics().At(0)
	if name, _ := resource.Resource().Attributes().Get("service.name"); name.Str() != "countersign" {
		t.Errorf("the service is called %q", name.Str())
	}
	for _, m := range resource.ScopeMetrics().At(0).Metrics().All() {
		if m.Name() != "countersign_request_duration_seconds" {
			continue
		}
		for _, point := range m.Histogram().DataPoints().All() {
			if route, _ := point.Attributes().Get("route"); route.Str() == "/users/:user/login" && point.Count() == 1 {
				return
			}
		}
	}
	t.Errorf("the metrics do not have the request: %s", body)
}

// collected reads what was exported as the collector reads it.
func collected(t *testing.T, body []byte) (spans []ptrace.Span) {
	t.Helper()
	traces, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(body)
	if err != nil {
		t.Errorf("the collector cannot read %s: %v", body, err)
		return nil
	}
	for _, resource := range traces.ResourceSpans().All() {
		if name, _ := resource.Resource().Attributes().Get("service.name"); name.Str() != "countersign" {
			t.Errorf("the service is called %q", name.Str())
		}
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				spans = append(spans, span)
			}
		}
	}
	return spans
}

// openMetrics returns the metrics as Prometheus asks for them where it keeps exemplars.
func openMetrics(t *testing.T, admin string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+admin+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	return string(e2etest.Plain(t).Do(r).Want(http.StatusOK).Body)
}

// The variables of OpenTelemetry say where spans and metrics go.
func TestOpenTelemetry_CollectorsFromVariables(t *testing.T) {
	for name, tc := range map[string]struct {
		environ                string
		traces, metrics, every string
	}{
		"none":     {"", "", "", "1m0s"},
		"a base":   {"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318/", "http://c:4318/v1/traces", "http://c:4318/v1/metrics", "1m0s"},
		"each":     {"OTEL_EXPORTER_OTLP_ENDPOINT=http://c OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m/x OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t/y", "http://t/y", "http://m/x", "1m0s"},
		"traces":   {"OTEL_EXPORTER_OTLP_ENDPOINT=http://c OTEL_METRICS_EXPORTER=none", "http://c/v1/traces", "", "1m0s"},
		"metrics":  {"OTEL_EXPORTER_OTLP_ENDPOINT=http://c OTEL_TRACES_EXPORTER=none OTEL_METRICS_EXPORTER=prometheus,otlp OTEL_METRIC_EXPORT_INTERVAL=500", "", "http://c/v1/metrics", "500ms"},
		"disabled": {"OTEL_EXPORTER_OTLP_ENDPOINT=http://c OTEL_SDK_DISABLED=true OTEL_METRIC_EXPORT_INTERVAL=-1", "", "", "1m0s"},
	} {
		var o app.Options
		command{environ: strings.Fields(tc.environ)}.telemetry(&o)
		if o.Traces.URL != tc.traces || o.Metrics.URL != tc.metrics || o.MetricsEvery.String() != tc.every {
			t.Errorf("%s: %q, %q, %s", name, o.Traces.URL, o.Metrics.URL, o.MetricsEvery)
		}
	}
}
