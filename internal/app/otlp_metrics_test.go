package app

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Every kind of metric of Prometheus is what a collector reads of it.
func TestMetrics_ReadByOTLPCollector(t *testing.T) {
	registry := prometheus.NewRegistry()
	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "c_total", Help: "Counts \"things\"."}, []string{"of"})
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "g"})
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "h", Buckets: []float64{1, 2}})
	empty := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "h_empty", Buckets: []float64{1}})
	summary := prometheus.NewSummary(prometheus.SummaryOpts{Name: "s", Objectives: map[float64]float64{0.5: 0.1}})
	none := prometheus.NewSummary(prometheus.SummaryOpts{Name: "s_none", Objectives: map[float64]float64{0.5: 0.1}}) // its quantile is no number
	registry.MustRegister(counter, gauge, histogram, empty, summary, none, prometheus.NewUntypedFunc(prometheus.UntypedOpts{Name: "u"}, func() float64 { return 7 }))
	counter.WithLabelValues("äpfel & <b>").Add(1e21)
	gauge.Set(math.Inf(-1))
	for _, value := range []float64{0.5, 1, 1.5, 3, 4, 5} {
		histogram.Observe(value)
	}
	summary.Observe(3)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	body, err := otlpMetrics(families, nil, time.Unix(1, 5), time.Unix(2, 6))
	if err != nil {
		t.Fatal(err)
	}
	read, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(body)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	var got []string
	for _, m := range read.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		got = append(got, said(m))
	}
	want := []string{
		`c_total Cumulative true 1e+21 äpfel & <b> 1000000005 2000000006`, "g -Inf", "h Cumulative 6 15 [1 2] [2 1 3]", "h_empty Cumulative 0 0 [1] [0 0]",
		"s 1 3 0.5 3", "s_none 0 0 0.5 NaN", "u 7",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("a collector reads\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func said(m pmetric.Metric) string {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		p := m.Sum().DataPoints().At(0)
		of, _ := p.Attributes().Get("of")
		return fmt.Sprint(m.Name(), " ", m.Sum().AggregationTemporality(), " ", m.Sum().IsMonotonic(), " ", p.DoubleValue(), " ", of.Str(), " ", uint64(p.StartTimestamp()), " ", uint64(p.Timestamp()))
	case pmetric.MetricTypeHistogram:
		p := m.Histogram().DataPoints().At(0)
		return fmt.Sprint(m.Name(), " ", m.Histogram().AggregationTemporality(), " ", p.Count(), " ", p.Sum(), " ", p.ExplicitBounds().AsRaw(), " ", p.BucketCounts().AsRaw())
	case pmetric.MetricTypeSummary:
		p := m.Summary().DataPoints().At(0)
		return fmt.Sprint(m.Name(), " ", p.Count(), " ", p.Sum(), " ", p.QuantileValues().At(0).Quantile(), " ", p.QuantileValues().At(0).Value())
	}
	return fmt.Sprint(m.Name(), " ", m.Gauge().DataPoints().At(0).DoubleValue())
}
