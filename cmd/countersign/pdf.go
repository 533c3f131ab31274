package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/pdf"
)

// pdfWorkerCommand is the argument that makes the program a child process of its
// own, which reads PDF documents for it. It is no command for people.
const pdfWorkerCommand = "pdf-worker"

func (c command) pdfWorker(context.Context) int {
	if err := pdf.Serve(c.stdin, c.stdout, os.Exit); err != nil {
		return c.fail(err)
	}
	return 0
}

// pdfWorkers starts this program as a PDF worker, without the settings, among
// which are secrets; nothing where the system does not tell where the program is.
func (c command) pdfWorkers() pdf.Options {
	program, err := os.Executable()
	if err != nil {
		return pdf.Options{}
	}
	environ := slices.DeleteFunc(slices.Clone(c.environ), func(one string) bool { return strings.HasPrefix(one, config.Prefix) })
	return pdf.Options{Command: []string{program, pdfWorkerCommand}, Environ: environ}
}
