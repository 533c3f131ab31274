package web

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"countersign/internal/upstream"
)

// Metrics are the metrics of the edge, in a registry of their own.
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
		ready: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "countersign_ready",
			Help: "1 while this node can do its work, as /readyz says; 0 without Redis and from the signal to stop on.",
		}),
		redisWritable: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "countersign_redis_writable",
			Help: "1 while Redis takes writes, tried once a second while this node is ready; 0 while it does not, or was not asked yet.",
		}),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "countersign_platform_call_duration_seconds",
			Help:    "Time a call to the platform took, its repetitions included, by service, operation and outcome: a status, or why there is none.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"service", "operation", "outcome"}),
		redisCalls: newRedisCalls(),
		uploads: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "countersign_uploads_in_flight",
			Help: "Uploads that are being taken in now.",
		}),
		accountChecks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_account_checks_total",
			Help: "Questions to the platform whether a signed-in person may still use their account, by verdict.",
		}, []string{"verdict"}),
		auditMetrics: newAuditMetrics(),
	}
	m.Registry.MustRegister(m.collectors()...)
	m.Registry.MustRegister(m.duration, m.failures, m.untranslated, m.ready, m.redisWritable, m.calls, m.redisCalls, m.uploads, m.accountChecks,
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
			Help:        "1 for the state that the circuit to the platform is in; open, calls are refused without being tried.",
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
