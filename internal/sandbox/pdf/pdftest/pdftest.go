// Package pdftest lets a test program act as its own PDF worker, and writes documents for
// tests.
package pdftest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/pdf"
)

// workerArgument is the first argument of a test program that acts as a worker.
const workerArgument = "pdf-worker"

// Serve serves as a worker and ends the program if it was started as one; else it returns
// false. A test program whose tests need workers calls it first.
func Serve() bool {
	if len(os.Args) < 2 || os.Args[1] != workerArgument {
		return false
	}
	server := pdf.Server{Exit: os.Exit}
	if err := server.WithArguments(os.Args[2:]).Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}

// Options returns options that start this test program as a worker, or the countersign that
// COUNTERSIGN_BINARY names: one without the race detector starts in a quarter of the time. All
// test programs share the folder of PDFium's machine code with countersign.
func Options() pdf.Options {
	program := cmp.Or(os.Getenv("COUNTERSIGN_BINARY"), os.Args[0])
	o := pdf.Options{Command: []string{program, workerArgument}, Timeout: time.Minute}
	if dir, err := os.UserCacheDir(); err == nil {
		if dir = filepath.Join(dir, "countersign", "pdfium"); pdf.PrepareCache(dir) == nil {
			o.Cache = dir
		}
	}
	return o
}

var shared = sync.OnceValue(func() *pdf.Workers { return pdf.NewWorkers(Options()) })

// Workers returns workers that all tests of a program share. They end with the program.
func Workers() *pdf.Workers { return shared() }

// TextOf returns the text of all pages of a file. The test program's TestMain calls Serve.
func TextOf(t testing.TB, file []byte) string {
	t.Helper()
	w := Workers()
	var all strings.Builder
	for page := 0; ; page++ {
		text, ok, err := w.Text(t.Context(), file, page)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all.String()
		}
		all.WriteString(text + "\n")
	}
}
