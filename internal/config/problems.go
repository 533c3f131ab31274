package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problems are all errors in the settings, sorted, each beginning with the full name of
// its variable, or with its flag. They contain no secret.
type Problems []string

// Error returns one problem a line.
func (p Problems) Error() string { return strings.Join(p, "\n") }

// About reports whether one of the problems concerns a setting with this beginning of its
// name, without the prefix.
func (p Problems) About(name string) bool {
	return slices.ContainsFunc(p, func(problem string) bool { return strings.HasPrefix(problem, Prefix+name) })
}

// And returns p with another problem, of the setting called name, without its prefix.
func (p Problems) And(name string, err error) Problems {
	more := report(slices.Clone(p))
	more.add(name, "%v", err)
	return Problems(more.sorted())
}

// Warned returns c with one more warning, of the setting called name, without its prefix.
func (c Config) Warned(name, what string) Config {
	more := report(slices.Clone(c.Warnings))
	more.add(name, "%s", what)
	c.Warnings = more.sorted()
	return c
}

// report collects remarks about settings while they are read.
type report []string

// add remarks on the setting called name, without its prefix.
func (r *report) add(name, format string, args ...any) {
	*r = append(*r, Prefix+name+": "+fmt.Sprintf(format, args...))
}

func (r report) sorted() []string {
	return slices.Compact(slices.Sorted(slices.Values(r)))
}

// except returns problems without those of the named settings, or nil if none is left.
func except(problems error, names ...string) error {
	all, ok := errors.AsType[Problems](problems)
	if !ok {
		return problems
	}
	left := slices.DeleteFunc(slices.Clone(all), func(problem string) bool {
		name, _, _ := strings.Cut(problem, ":")
		return slices.Contains(names, strings.TrimPrefix(name, Prefix))
	})
	if len(left) == 0 {
		return nil
	}
	return left
}
