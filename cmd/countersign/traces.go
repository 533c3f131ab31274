package main

import (
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/app"
)

// traces returns the collector that OpenTelemetry's own variables name; without them its
// URL is "".
func (c command) traces() app.Traces {
	said := map[string]string{}
	for _, variable := range c.environ {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") {
			said[name] = value
		}
	}
	to := app.Traces{URL: said["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], Header: http.Header{}}
	if base := said["OTEL_EXPORTER_OTLP_ENDPOINT"]; to.URL == "" && base != "" {
		to.URL = strings.TrimRight(base, "/") + "/v1/traces"
	}
	if strings.EqualFold(said["OTEL_SDK_DISABLED"], "true") || said["OTEL_TRACES_EXPORTER"] == "none" {
		to.URL = ""
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(said[name], ",") {
			key, value, _ := strings.Cut(pair, "=")
			if value, err := url.PathUnescape(strings.TrimSpace(value)); err == nil && strings.TrimSpace(key) != "" {
				to.Header.Set(strings.TrimSpace(key), value)
			}
		}
	}
	return to
}
