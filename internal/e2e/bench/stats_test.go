package bench_test

import (
	"math"
	"slices"
	"testing"
)

// trim is the part of the values that is left out at either end, because a busy machine
// makes outliers.
const trim = 0.2

// trimmed returns the mean of the middle values and its standard error, computed from all
// values with the outer ones replaced by the nearest middle ones.
func trimmed(values []float64) (mean, deviation float64) {
	all := slices.Sorted(slices.Values(values))
	n := len(all)
	cut := int(trim * float64(n))
	for _, v := range all[cut : n-cut] {
		mean += v / float64(n-2*cut)
	}
	var drawn, squares float64
	low, high := all[cut], all[n-cut-1]
	for _, v := range all {
		drawn += min(max(v, low), high) / float64(n)
	}
	for _, v := range all {
		d := min(max(v, low), high) - drawn
		squares += d * d
	}
	if n < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(squares/float64(n-1)) / (float64(n-2*cut) / math.Sqrt(float64(n)))
}

func meanOf(results []result, of func(result) float64) float64 {
	values := make([]float64, len(results))
	for i, r := range results {
		values[i] = of(r)
	}
	mean, _ := trimmed(values)
	return mean
}

func TestTrimmed_MeanAndDeviation(t *testing.T) {
	for _, c := range []struct {
		values          []float64
		mean, deviation float64
	}{
		{[]float64{3}, 3, 0},
		{[]float64{1, 1, 1, 1, 1}, 1, 0},
		{[]float64{900, 2, 1, 3, -900}, 2, 0.745356},
		{[]float64{0, 1, 1, 2, 2, 3, 3, 4, 4, 1000}, 2.5, 0.668977},
	} {
		mean, deviation := trimmed(c.values)
		if math.Abs(mean-c.mean) > 1e-6 || math.Abs(deviation-c.deviation) > 1e-6 {
			t.Errorf("%v: %v ± %v, want %v ± %v", c.values, mean, deviation, c.mean, c.deviation)
		}
	}
}
