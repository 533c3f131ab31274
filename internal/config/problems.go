package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problems is everything that is wrong with the settings, sorted, each
// beginning with the full name of its variable. No secret is in it.
type Problems []string

// Error is one problem a line.
func (p Problems) Error() string { return strings.Join(p, "\n") }

// report collects remarks about settings while they are read.
type report []string

// add remarks on the setting called name, without its prefix.
func (r *report) add(name, format string, args ...any) {
	*r = append(*r, Prefix+name+": "+fmt.Sprintf(format, args...))
}

func (r report) sorted() []string {
	return slices.Compact(slices.Sorted(slices.Values(r)))
}
