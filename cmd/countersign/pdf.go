package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/pdf"
	sandboxpdf "countersign/internal/sandbox/pdf"
)

// pdfWorkerCommand is the argument that makes the program a child process of its
// own, which reads PDF documents for it. It is no command for people.
const pdfWorkerCommand = "pdf-worker"

// pdfWorker serves as a PDF worker; args has the folder of its cache, if there is one.
func (c command) pdfWorker(args []string) int {
	server := pdf.Server{Change: sandboxpdf.Job, Exit: os.Exit}
	if len(args) > 0 {
		server.Cache = args[0]
	}
	if err := server.Serve(c.stdin, c.stdout); err != nil {
		return c.fail(err)
	}
	return 0
}

// pdfWorkers starts this program as a PDF worker, without the settings, among
// which are secrets; nothing where the system does not tell where the program is.
// dir is the folder of its cache; "" is the user's own.
func (c command) pdfWorkers(dir string) pdf.Options {
	program, err := os.Executable()
	if err != nil {
		return pdf.Options{}
	}
	environ := slices.DeleteFunc(slices.Clone(c.environ), func(one string) bool { return strings.HasPrefix(one, config.Prefix) })
	return pdf.Options{Command: []string{program, pdfWorkerCommand}, Environ: environ, Cache: pdfCache(dir)}
}

// pdfCache returns dir, or a folder in the user's own for "", where it is this user's
// alone; else "".
func pdfCache(dir string) string {
	if dir == "" {
		own, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(own, "countersign", "pdfium")
	}
	if pdf.PrepareCache(dir) != nil {
		return ""
	}
	return dir
}
