package web

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the numbers of the edge, in a registry of their own.
type Metrics struct {
	Registry *prometheus.Registry
	duration *prometheus.HistogramVec
	failures *prometheus.CounterVec

	untranslated *prometheus.CounterVec
}

// NewMetrics makes the registry: the Go runtime and process numbers, and for
// each route how often, how fast and with which error key it answered.
func NewMetrics() *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "countersign_request_duration_seconds",
			Help:    "Time from a request's first byte read to its answer, by route, method and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "status"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_failures_total",
			Help: "Requests that ended in an error, by route and the error's key.",
		}, []string{"route", "key"}),
		untranslated: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_untranslated_total",
			Help: "Refusals whose reason, as the platform gave it, has no row in the catalogue; the log has it.",
		}, []string{"route"}),
	}
	m.Registry.MustRegister(m.duration, m.failures, m.untranslated,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *Metrics) observe(route, method string, status int, key string, elapsed time.Duration) {
	m.duration.WithLabelValues(route, knownMethod(method), strconv.Itoa(status)).Observe(elapsed.Seconds())
	if key != "" {
		m.failures.WithLabelValues(route, key).Inc()
	}
}

// knownMethod keeps invented methods from becoming series.
func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}
