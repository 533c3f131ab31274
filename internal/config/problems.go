package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problems is everything that is wrong with the settings, sorted, each
// beginning with the full name of its variable, or with its flag. No secret is in it.
type Problems []string

// Error is one problem a line.
func (p Problems) Error() string { return strings.Join(p, "\n") }

// About reports whether one of them is about a setting whose name begins so, without its
// prefix.
func (p Problems) About(name string) bool {
	return slices.ContainsFunc(p, func(problem string) bool { return strings.HasPrefix(problem, Prefix+name) })
}

// And is p and what else is wrong with the setting called name, without its prefix.
func (p Problems) And(name string, err error) Problems {
	more := report(slices.Clone(p))
	more.add(name, "%v", err)
	return Problems(more.sorted())
}

// Warned is c with one more warning, of the setting called name, without its prefix.
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

// except is problems but for those of the named settings; nil where none is left.
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
