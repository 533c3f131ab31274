package conformance

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/upstream"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// rewritePath returns the path at which paths has the operation of path, which is an
// operation's default path, for identity verification in either family. It returns path itself
// if paths does not have the operation.
func rewritePath(t *T, method, path string, defaults []config.Path, paths config.Paths) string {
	path, query, asked := strings.Cut(path, "?")
	r, err := http.NewRequestWithContext(t.Context(), method, path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	operations := http.NewServeMux() // which knows the one with the fewest placeholders
	operations.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	for _, p := range defaults {
		fill := func(_ http.ResponseWriter, r *http.Request) {
			values := map[string]string{}
			for _, name := range placeholder.FindAllStringSubmatch(p.Default, -1) {
				values[name[1]] = r.PathValue(name[1])
			}
			if filled, ok := upstream.Fill(cmp.Or(paths[p.Operation], p.Default), values); ok {
				path = filled
			}
		}
		template, _, _ := strings.Cut(p.Default, "?")
		if strings.HasSuffix(template, "/") {
			template += "{$}"
		}
		for _, m := range slices.Compact(slices.Sorted(slices.Values(p.Methods))) {
			operations.HandleFunc(m+" "+template, fill)
			if other := otherFamily(template); other != template {
				operations.HandleFunc(m+" "+other, fill)
			}
		}
	}
	operations.ServeHTTP(nil, r)
	if asked {
		path += "?" + query
	}
	return path
}
