package web

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/signing/index"
)

// Packages shows how far the index of packages is; stats is asked when the metrics are
// read, and what it cannot tell is left out.
func (m *Metrics) Packages(stats func(context.Context) (index.Stats, error)) {
	m.Registry.MustRegister(packages(stats))
}

// packages is the prometheus.Collector of an index.
type packages func(context.Context) (index.Stats, error)

var (
	packagesBuilt = prometheus.NewDesc("countersign_signing_index_built",
		"1 while the package index is complete; while 0, lists of own packages are unavailable.", nil, nil)
	packagesAge = prometheus.NewDesc("countersign_signing_index_age_seconds",
		"Time since the start of the last complete sweep; missing before the first.", nil, nil)
	packagesSize = prometheus.NewDesc("countersign_signing_index_packages",
		"Packages in the index.", nil, nil)
	callbacksWaiting = prometheus.NewDesc("countersign_signing_callbacks_waiting",
		"Callbacks of the platform that are not yet processed.", nil, nil)
)

// Describe sends the descriptions of the metrics.
func (packages) Describe(to chan<- *prometheus.Desc) {
	to <- packagesBuilt
	to <- packagesAge
	to <- packagesSize
	to <- callbacksWaiting
}

// Collect reads and sends their values.
func (p packages) Collect(to chan<- prometheus.Metric) {
	stats, err := p(context.Background())
	if err != nil {
		return // countersign_ready reports a failing Redis
	}
	built := 0.0
	if stats.Built {
		built = 1
		to <- prometheus.MustNewConstMetric(packagesAge, prometheus.GaugeValue, stats.Age.Seconds())
	}
	to <- prometheus.MustNewConstMetric(packagesBuilt, prometheus.GaugeValue, built)
	to <- prometheus.MustNewConstMetric(packagesSize, prometheus.GaugeValue, float64(stats.Packages))
	to <- prometheus.MustNewConstMetric(callbacksWaiting, prometheus.GaugeValue, float64(stats.Waiting))
}
