package app

import (
	"context"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	dto "github.com/prometheus/client_model/go"

	"countersign/web"
)

// openMetrics begins to send the metrics if a collector is set: those of /metrics, under the same
// names.
func (a *App) openMetrics(ctx context.Context, metrics *web.Metrics) error {
	if a.collector.URL == "" {
		return nil
	}
	about, err := a.about(ctx)
	if err != nil {
		return err
	}
	begun, attributes := a.now(), otlpAttributes(about.Attributes())
	to := &exporter{a.collector, &http.Client{Timeout: exportTimeout}}
	send := func(ctx context.Context) {
		families, err := metrics.Registry.Gather() // what could be read is sent
		if err != nil {
			a.logger.WarnContext(ctx, "metrics export failed", "cause", err.Error())
		}
		body, err := otlpMetrics(families, attributes, begun, a.now())
		if err == nil {
			err = to.send(ctx, body)
		}
		if err != nil {
			a.logger.WarnContext(ctx, "metrics export failed", "cause", err.Error())
		}
	}
	a.tasks = append(a.tasks, start(ctx, func(ctx context.Context) {
		ticker := time.NewTicker(a.measure)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				send(context.WithoutCancel(ctx)) // what happened last
				to.client.CloseIdleConnections()
				return
			case <-ticker.C:
				send(ctx)
			}
		}
	}))
	return nil
}

// cumulative is OTLP's name of values that count from the start.
const cumulative = 2

// otlpMetrics encodes metrics as an ExportMetricsServiceRequest in JSON (OTLP 1, JSON Protobuf
// Encoding).
func otlpMetrics(families []*dto.MetricFamily, about []any, begun, now time.Time) ([]byte, error) {
	times := object{"startTimeUnixNano": nanoseconds(begun), "timeUnixNano": nanoseconds(now)}
	list := make([]any, len(families))
	for i, f := range families {
		list[i] = otlpFamily(f, times)
	}
	return json.Marshal(object{"resourceMetrics": []any{object{
		"resource":     object{"attributes": about},
		"scopeMetrics": []any{object{"scope": object{"name": "countersign"}, "metrics": list}},
	}}})
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func otlpFamily(f *dto.MetricFamily, times object) object {
	points := make([]any, len(f.GetMetric()))
	for i, m := range f.GetMetric() {
		point := otlpPoint(f.GetType(), m)
		point["attributes"] = otlpLabels(m.GetLabel())
		maps.Copy(point, times)
		points[i] = point
	}
	family := object{"name": f.GetName(), "description": f.GetHelp()}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		family["sum"] = object{"aggregationTemporality": cumulative, "isMonotonic": true, "dataPoints": points}
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		family["histogram"] = object{"aggregationTemporality": cumulative, "dataPoints": points}
	case dto.MetricType_SUMMARY:
		family["summary"] = object{"dataPoints": points}
	default:
		family["gauge"] = object{"dataPoints": points}
	}
	return family
}

func otlpPoint(kind dto.MetricType, m *dto.Metric) object {
	switch kind {
	case dto.MetricType_COUNTER:
		return object{"asDouble": double(m.GetCounter().GetValue())}
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		return otlpHistogram(m.GetHistogram())
	case dto.MetricType_SUMMARY:
		s := m.GetSummary()
		quantiles := make([]any, len(s.GetQuantile()))
		for i, q := range s.GetQuantile() {
			quantiles[i] = object{"quantile": double(q.GetQuantile()), "value": double(q.GetValue())}
		}
		return object{"count": number(s.GetSampleCount()), "sum": double(s.GetSampleSum()), "quantileValues": quantiles}
	case dto.MetricType_UNTYPED:
		return object{"asDouble": double(m.GetUntyped().GetValue())}
	default:
		return object{"asDouble": double(m.GetGauge().GetValue())}
	}
}

// otlpHistogram encodes a histogram. A bucket of Prometheus counts all values up to its bound, one
// of OTLP those between two bounds, and there is one more, above the last bound.
func otlpHistogram(h *dto.Histogram) object {
	bounds, counts, below := []any{}, []any{}, uint64(0)
	for _, b := range h.GetBucket() {
		if math.IsInf(b.GetUpperBound(), 1) {
			continue
		}
		bounds, counts = append(bounds, b.GetUpperBound()), append(counts, number(b.GetCumulativeCount()-below))
		below = b.GetCumulativeCount()
	}
	counts = append(counts, number(h.GetSampleCount()-below))
	return object{"count": number(h.GetSampleCount()), "sum": double(h.GetSampleSum()), "explicitBounds": bounds, "bucketCounts": counts}
}

func otlpLabels(labels []*dto.LabelPair) []any {
	list := make([]any, len(labels))
	for i, l := range labels {
		list[i] = object{"key": l.GetName(), "value": object{"stringValue": l.GetValue()}}
	}
	return list
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// double encodes a number; JSON has none for those that are not finite.
func double(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}
