package conformance

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/upstream"
)

// rewritePath returns the path at which paths has the operation of path, which is an
// operation's default path, for identity verification in either family: of several, the one with
// the fewest placeholders. It returns path itself if paths does not have the operation.
func rewritePath(method, path string, defaults []config.Path, paths config.Paths) string {
	path, query, asked := strings.Cut(path, "?")
	rewritten, fewest := path, math.MaxInt
	for _, p := range defaults {
		template, _, _ := strings.Cut(p.Default, "?")
		values, ok := valuesIn(path, template)
		if !ok {
			values, ok = valuesIn(path, otherFamily(template))
		}
		if !ok || len(values) >= fewest || !slices.Contains(p.Methods, method) {
			continue
		}
		if filled, ok := upstream.Fill(cmp.Or(paths[p.Operation], p.Default), values); ok {
			rewritten, fewest = filled, len(values)
		}
	}
	if asked {
		rewritten += "?" + query
	}
	return rewritten
}

// valuesIn returns the values in path of template's placeholders, which are whole segments, and
// false for a path of another form.
func valuesIn(path, template string) (map[string]string, bool) {
	segments, given := strings.Split(template, "/"), strings.Split(path, "/")
	if len(segments) != len(given) {
		return nil, false
	}
	values := map[string]string{}
	for i, segment := range segments {
		name, isPlaceholder := strings.CutPrefix(segment, "{")
		value, err := url.PathUnescape(given[i])
		switch {
		case isPlaceholder && err == nil:
			values[strings.TrimSuffix(name, "}")] = value
		case segment != given[i]:
			return nil, false
		}
	}
	return values, true
}
