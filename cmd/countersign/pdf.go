package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/pdf"
)

// pdfWorkerCommand is the argument with which the program starts itself as a child
// process that reads PDF documents. It is not a command for people.
const pdfWorkerCommand = "pdf-worker"

// pdfWorker serves as a PDF worker; pdf.Server.WithArguments tells what args mean.
func (c command) pdfWorker(_ context.Context, args []string) int {
	server := pdf.Server{Exit: os.Exit}
	if err := server.WithArguments(args).Serve(c.stdin, c.stdout); err != nil {
		return c.fail(err)
	}
	return 0
}

// pdfWorkers returns options that start this program as a PDF worker, without the
// environment, which holds secrets. They are empty if the system does not tell the
// program's path.
func (c command) pdfWorkers(cfg config.Config) pdf.Options {
	program, err := thisProgram()
	if err != nil {
		return pdf.Options{}
	}
	environ := slices.DeleteFunc(slices.Clone(c.environ), func(one string) bool { return strings.HasPrefix(one, config.Prefix) })
	return pdf.Options{Command: []string{program, pdfWorkerCommand}, Environ: environ, Cache: pdfCache(cfg.PDFCacheDir), Fonts: cfg.FontsDir}
}

// pdfCache returns dir, or for "" a folder in the user's cache folder. It returns "" if
// that folder is not this user's alone.
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

// running names the program that runs on Linux, also after its file was replaced or removed.
const running = "/proc/self/exe"

// thisProgram returns a name under which this very program can be started.
func thisProgram() (string, error) {
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}
