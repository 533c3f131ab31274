package web

import (
	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/retention"
)

// Retention returns the function that counts what comes of objects of a kind at which the rule of
// retention looks: package or verification.
func (m *Metrics) Retention(kind string) func(result retention.Result, n int) {
	for _, result := range retention.Results() { // all are there from the start, so that their rates are
		m.retained.WithLabelValues(kind, string(result))
	}
	return func(result retention.Result, n int) { m.retained.WithLabelValues(kind, string(result)).Add(float64(n)) }
}

func newRetained() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "countersign_retention_total",
		Help: "Packages and identity checks processed by retention, by kind and result.",
	}, []string{"kind", "result"})
}
