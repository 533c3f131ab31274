package conformance

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/upstream"
)

// idPattern matches the id of a transaction in regular expressions.
const idPattern = `[0-9A-Za-z-]{36}`

var placeholderOfPath = regexp.MustCompile(`\\\{(\w+)\\\}`)

// templateOf returns a pattern for the paths of a default template; for identity
// verification, in either of the platform's two families.
func templateOf(path string) *regexp.Regexp {
	text := placeholderOfPath.ReplaceAllStringFunc(regexp.QuoteMeta(path), func(name string) string {
		if name == `\{transaction\}` {
			return `(?P<transaction>` + idPattern + `)`
		}
		return `(?P<` + strings.Trim(name, `\{}`) + `>[^/]+)`
	})
	for _, family := range []string{"/api/transaction/", "/api/transactions/"} {
		if rest, ok := strings.CutPrefix(text, family+"(?P"); ok {
			text = "/api/transactions?/(?P" + rest
		}
	}
	return regexp.MustCompile("^" + text + "$")
}

// rewritePath returns the path at which paths has the operation of path, which is an
// operation's default path in either family. It returns path itself if paths does not
// have the operation.
func rewritePath(method, path string, defaults []config.Path, paths config.Paths) string {
	path, query, asked := strings.Cut(path, "?")
	if p, ok := defaultOf(method, path, defaults); ok {
		if filled, ok := upstream.Fill(cmp.Or(paths[p.Operation], p.Default), valuesOf(p.Default, path)); ok {
			path = filled
		}
	}
	if asked {
		path += "?" + query
	}
	return path
}

// defaultOf returns the operation of method with path as its default path; of several,
// the one with the fewest placeholders.
func defaultOf(method, path string, defaults []config.Path) (found config.Path, ok bool) {
	for _, p := range defaults {
		if !slices.Contains(p.Methods, method) || !templateOf(p.Default).MatchString(path) {
			continue
		}
		if !ok || strings.Count(p.Default, "{") < strings.Count(found.Default, "{") {
			found, ok = p, true
		}
	}
	return found, ok
}

// valuesOf returns the values in path of template's placeholders.
func valuesOf(template, path string) map[string]string {
	pattern := templateOf(template)
	match, values := pattern.FindStringSubmatch(path), map[string]string{}
	for i, name := range pattern.SubexpNames() {
		plain, err := url.PathUnescape(match[i])
		if name != "" && err == nil {
			values[name] = plain
		}
	}
	return values
}
