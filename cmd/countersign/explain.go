package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/explain"
	"countersign/internal/i18n"
)

const explainUsage = `countersign explain explains a request from the log: who sent it, the response, the platform calls,
the cause, and what to do. Error pages and the header X-Request-Id have the request ID.

It reads text and JSON, also compressed by gzip, and lines of the audit trail, from all files. If
one lacks the request, it also reads the rotated ones: names that continue with a full stop or a
hyphen. Without a file, and for -, it reads standard input.

Exit status: 1 if no line has the request or a log cannot be read; 2 for wrong arguments.

  countersign explain REQUEST-ID [LOGFILE...|-]
`

// operators is the language of what operators read, as of docs/errors.md.
const operators = "en"

// explain runs the command "explain". An id may begin with a hyphen, so there are no flags.
func (c command) explain(_ context.Context, args []string) int {
	flags := newFlags("explain")
	if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		return c.misused(flags, explainUsage, flag.ErrHelp)
	}
	if len(args) == 0 || args[0] == "" || args[0] == "-" || strings.ContainsAny(args[0], " \t\r\n\"") {
		return c.misused(flags, explainUsage, errors.New("the request ID is missing"))
	}
	bundle, err := i18n.New()
	if err != nil {
		return c.fail(err)
	}
	names := args[1:]
	if len(names) == 0 {
		names = []string{"-"}
	}
	var sources []explain.Source
	for _, name := range names {
		sources = append(sources, c.source(name))
	}
	err = explain.Request(c.stdout, bundle.For(operators), args[0], sources)
	if errors.Is(err, explain.ErrUnknown) {
		fmt.Fprintf(c.stderr, "countersign explain: %s: %v\n", args[0], err)
		return 1
	}
	if err != nil {
		return c.fail(err)
	}
	return 0
}

// source returns the file and those that it was rotated to, in the order of their names; for "-" standard input.
func (c command) source(name string) explain.Source {
	if name == "-" {
		return explain.Source{Name: "standard input", Open: func() (io.ReadCloser, error) { return io.NopCloser(c.stdin), nil }}
	}
	source := logFile(name)
	folder, base := filepath.Split(name)
	entries, _ := os.ReadDir(filepath.Dir(name)) // without one the file itself says so
	for _, entry := range entries {
		if rest, ok := strings.CutPrefix(entry.Name(), base); ok && rest != "" && strings.ContainsAny(rest[:1], ".-") && entry.Type().IsRegular() {
			source.Rotated = append(source.Rotated, logFile(filepath.Join(folder, entry.Name())))
		}
	}
	return source
}

func logFile(name string) explain.Source {
	return explain.Source{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }} //nolint:gosec // the person who runs the program names the file
}
