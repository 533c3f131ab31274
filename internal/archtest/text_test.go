package archtest_test

import (
	"regexp"
	"slices"
	"strings"
)

var noMachinePaths = rule{
	name:  "no paths of one machine",
	why:   "what names a folder of the machine it was written on works there alone",
	check: func(files []file) []string { return matches(files, machinePaths) },
	breaks: [][]file{
		example("docs/a.md", "see /wo"+"rk/main"),
		example("Makefile", "all:\n\tcp x /ro"+"ot/x"),
		example("web/a.go", "package web // /fa"+"rm/x"),
		example("web/a.go", "package web // /tm"+"p/x"),
	},
	keeps: example("docs/a.md", "https://example.com/work and a/network/b"),
}

// The patterns are written so that they do not match themselves.
var (
	machinePaths = regexp.MustCompile(`(^|[^a-zA-Z0-9.])/(w[o]rk|r[o]ot|f[a]rm|t[m]p)/`)
	marks        = regexp.MustCompile(`\b(T[O]DO|F[I]XME)\b`)
)

var noMarks = rule{
	name:  "nothing left to do",
	why:   "a mark in the code is a task that nobody sees: do it, or write it down where tasks are kept",
	check: func(files []file) []string { return matches(files, marks) },
	breaks: [][]file{
		example("web/a.go", "package web // TO"+"DO: later"),
		example("static/app.js", "// FIX"+"ME"),
	},
	keeps: example("web/a.go", "package web // MASTODON, to do"),
}

func matches(files []file, pattern *regexp.Regexp) []string {
	var found []string
	for _, f := range files {
		if f.path == "go.sum" {
			continue
		}
		for i, line := range strings.Split(f.text, "\n") {
			if match := pattern.FindString(line); match != "" {
				found = append(found, finding(f, i+1, "%s", strings.TrimSpace(match)))
			}
		}
	}
	return found
}

var topLevel = rule{
	name: "the top level is the customer's",
	why:  "the first listing is the map of the house; what is ours alone lives under internal",
	check: func(files []file) []string {
		allowed := strings.Fields(`cmd web handlers session static templates Dockerfile go.mod go.sum
			internal docs README.md Makefile compose.yaml .ci LICENSE CONTRIBUTING.md .gitignore .dockerignore .golangci.yml`)
		var found, seen []string
		for _, f := range files {
			entry, _, _ := strings.Cut(f.path, "/")
			if f.tracked && !slices.Contains(allowed, entry) && !slices.Contains(seen, entry) {
				found, seen = append(found, finding(f, 1, "%s does not belong at the top level", entry)), append(seen, entry)
			}
		}
		return found
	},
	breaks: [][]file{
		example("pkg/a/a.go", "package a", "pkg/b/b.go", "package b"),
		example("main.go", "package main"),
	},
	keeps: append(example("web/a.go", "package web", "internal/pkg/a.go", "package a", ".ci/run", "make test"), parse("out.log", "a stray file", false)),
}
