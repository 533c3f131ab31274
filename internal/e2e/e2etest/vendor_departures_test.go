package e2etest

import (
	"slices"
	"testing"
)

// A row of departures stands for each of its methods.
func TestOperations_OfDepartureRow(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string][]string{
		"GET /a":             {"GET /a"},
		"GET, PUT, POST /a…": {"GET /a…", "PUT /a…", "POST /a…"},
		"…":                  {"…"},
	} {
		if got := operations(cell); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", cell, got, want)
		}
	}
}
