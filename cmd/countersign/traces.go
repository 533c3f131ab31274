package main

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/app"
)

// metricsEvery is how often metrics are sent by default, as OpenTelemetry has it.
const metricsEvery = time.Minute

// telemetry has the collectors for o that OpenTelemetry's own variables name; without them
// nothing is sent.
func (c command) telemetry(o *app.Options) {
	said := map[string]string{}
	for _, variable := range c.environ {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") {
			said[name] = value
		}
	}
	o.Traces, o.Metrics, o.MetricsEvery = collector(said, "TRACES"), collector(said, "METRICS"), metricsEvery
	if ms, err := strconv.Atoi(strings.TrimSpace(said["OTEL_METRIC_EXPORT_INTERVAL"])); err == nil && ms > 0 {
		o.MetricsEvery = time.Duration(ms) * time.Millisecond
	}
}

// collector returns the collector of a signal, TRACES or METRICS.
func collector(said map[string]string, signal string) app.Collector {
	to := app.Collector{URL: said["OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT"], Header: http.Header{}}
	if base := said["OTEL_EXPORTER_OTLP_ENDPOINT"]; to.URL == "" && base != "" {
		to.URL = strings.TrimRight(base, "/") + "/v1/" + strings.ToLower(signal)
	}
	exporters := strings.FieldsFunc(said["OTEL_"+signal+"_EXPORTER"], func(r rune) bool { return r == ',' || r == ' ' })
	if strings.EqualFold(said["OTEL_SDK_DISABLED"], "true") || len(exporters) > 0 && !slices.Contains(exporters, "otlp") {
		to.URL = ""
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_" + signal + "_HEADERS"} {
		for pair := range strings.SplitSeq(said[name], ",") {
			key, value, _ := strings.Cut(pair, "=")
			if value, err := url.PathUnescape(strings.TrimSpace(value)); err == nil && strings.TrimSpace(key) != "" {
				to.Header.Set(strings.TrimSpace(key), value)
			}
		}
	}
	return to
}
