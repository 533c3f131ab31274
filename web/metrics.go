package web

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"countersign/internal/upstream"
)

// Metrics are the metrics of the edge, in a separate registry.
type Metrics struct {
	Registry *prometheus.Registry
	duration *prometheus.HistogramVec
	failures *prometheus.CounterVec

	untranslated  *prometheus.CounterVec
	ready         prometheus.Gauge
	redisWritable prometheus.Gauge
	calls         *prometheus.HistogramVec
	redisCalls    *prometheus.HistogramVec
	uploads       prometheus.Gauge
	accountChecks *prometheus.CounterVec
	retained      *prometheus.CounterVec
	auditMetrics
}

// NewMetrics makes the registry: the version of Countersign, the build, the metrics of
// the Go runtime and the process, for each route its requests, durations and error keys,
// and for each call to the platform its duration and outcome. Sign-ins, registrations,
// uploads and calls to Redis are counted too.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "countersign_request_duration_seconds",
			Help:    "Time of a response, by route pattern (none: no pattern matched), method and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "status"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_failures_total",
			Help: "Requests that failed, by route and error key.",
		}, []string{"route", "key"}),
		untranslated: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_untranslated_total",
			Help: "Refusals of the platform without a translated text; the log has its text.",
		}, []string{"route"}),
		ready: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "countersign_ready",
			Help: "1 while /readyz answers 200.",
		}),
		redisWritable: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "countersign_redis_writable",
			Help: "1 while Redis accepts writes; checked once a second while the node is ready.",
		}),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "countersign_platform_call_duration_seconds",
			Help:    "Time of a platform call, retries included, by service, operation and outcome.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"service", "operation", "outcome"}),
		redisCalls: newRedisCalls(),
		uploads: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "countersign_uploads_in_flight",
			Help: "Uploads in progress.",
		}),
		accountChecks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_account_checks_total",
			Help: "Account status checks, by verdict: active, disabled, locked, expired, unknown, unreadable, unanswered.",
		}, []string{"verdict"}),
		retained:     newRetained(),
		auditMetrics: newAuditMetrics(),
	}
	m.Registry.MustRegister(m.collectors()...)
	m.Registry.MustRegister(m.duration, m.failures, m.untranslated, m.ready, m.redisWritable, m.calls, m.redisCalls, m.uploads, m.accountChecks, m.retained,
		newBuild(version), collectors.NewBuildInfoCollector(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts a request. Of those of one series that fell into one bucket, the last
// one's trace is its exemplar, if it has one: the way from a slow answer to its spans.
func (m *Metrics) observe(route, method string, status int, key, trace string, elapsed time.Duration) {
	series := m.duration.WithLabelValues(route, knownMethod(method), strconv.Itoa(status))
	if withExemplar, ok := series.(prometheus.ExemplarObserver); ok && trace != "" {
		withExemplar.ObserveWithExemplar(elapsed.Seconds(), prometheus.Labels{"trace_id": trace})
	} else {
		series.Observe(elapsed.Seconds())
	}
	if key != "" {
		m.failures.WithLabelValues(route, key).Inc()
	}
}

// Calls returns the Observe function of a client of the platform service.
func (m *Metrics) Calls(service string) func(upstream.Observation) {
	return func(o upstream.Observation) {
		m.calls.WithLabelValues(service, o.Operation, o.Outcome).Observe(o.Elapsed.Seconds())
	}
}

// Circuit shows the state (closed, half-open or open) of the circuit to one service of
// the platform. Call it once for each service.
func (m *Metrics) Circuit(service string, state func() string) {
	for _, name := range []string{"closed", "half-open", "open"} {
		m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "countersign_platform_circuit",
			Help:        "1 for the current state: closed, open (calls fail at once), half-open (a GET of the base address decides).",
			ConstLabels: prometheus.Labels{"service": service, "state": name},
		}, func() float64 {
			if state() == name {
				return 1
			}
			return 0
		}))
	}
}

// AccountChecks returns the function that counts a check of an account by its verdict, one
// of verdicts. Each of them has its series from the start, so that the first is an increase.
func (m *Metrics) AccountChecks(verdicts ...string) func(verdict string) {
	for _, verdict := range verdicts {
		m.accountChecks.WithLabelValues(verdict)
	}
	return func(verdict string) { m.accountChecks.WithLabelValues(verdict).Inc() }
}

// knownMethod returns method if it is known, so that invented methods do not become
// series.
func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}
