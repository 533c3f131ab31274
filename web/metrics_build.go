package web

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

// newBuild returns the gauge of the versions of Countersign and Go.
func newBuild(version string) prometheus.Gauge {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "countersign_build_info",
		Help:        "Always 1; the labels have the versions of Countersign and Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	return build
}
