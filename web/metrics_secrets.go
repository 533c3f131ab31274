package web

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/config"
)

// SecretReloads returns the function that counts what became of a setting whose file has
// changed. Each of settings has its series from the start, so that the first is an increase.
func (m *Metrics) SecretReloads(settings []string, results ...string) func(setting, result string) {
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "countersign_secret_reloads_total",
		Help: "Files of settings that changed, by setting and result: accepted or refused.",
	}, []string{"name", "result"})
	m.Registry.MustRegister(reloads)
	for _, setting := range settings {
		for _, result := range results {
			reloads.WithLabelValues(setting, result)
		}
	}
	return func(setting, result string) { reloads.WithLabelValues(setting, result).Inc() }
}

// certificates shows how long the certificates in use are good.
type certificates struct {
	expires *prometheus.Desc
	current func() []config.Certificate
	now     func() time.Time
}

// Certificates shows how long the certificates that current returns are good.
func (m *Metrics) Certificates(current func() []config.Certificate, now func() time.Time) {
	m.Registry.MustRegister(certificates{prometheus.NewDesc(
		"countersign_certificate_expires_seconds",
		"Time until a configured certificate expires: the first of a client chain, the last of a CA file.",
		[]string{"name"}, nil,
	), current, now})
}

// Describe sends the one metric.
func (c certificates) Describe(to chan<- *prometheus.Desc) { to <- c.expires }

// Collect sends the time of each certificate.
func (c certificates) Collect(to chan<- prometheus.Metric) {
	now := c.now()
	for _, one := range c.current() {
		to <- prometheus.MustNewConstMetric(c.expires, prometheus.GaugeValue, one.Until.Sub(now).Seconds(), config.Prefix+one.Name)
	}
}
