// Package pdftest lets a test program be the PDF worker that its own tests use, and writes
// documents for it to read.
package pdftest

import (
	"fmt"
	"os"

	"countersign/internal/pdf"
)

// workerArgument is the only argument of a test program that is a worker.
const workerArgument = "pdf-worker"

// Serve ends the program after serving as a worker, if that is what it was
// started for; else it returns false. A test program whose tests need workers
// calls it first of all.
func Serve() bool {
	if len(os.Args) != 2 || os.Args[1] != workerArgument {
		return false
	}
	if err := pdf.Serve(os.Stdin, os.Stdout, os.Exit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}

// Command starts this test program as a worker.
func Command() []string { return []string{os.Args[0], workerArgument} }
