package pdf

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// compilation is the machine code of PDFium in the cache.
type compilation struct {
	once sync.Once
	done chan struct{} // closed once it is there, or cannot be
	err  error
}

// Prepare compiles PDFium if that has yet to be done, which takes seconds and more memory
// than reading a file: once, in a separate process, before any that reads files. Without
// a cache it starts the first of those, which compiles for itself.
func (w *Workers) Prepare(ctx context.Context) error {
	w.compiled.once.Do(func() { w.ending.Go(w.compile) })
	select {
	case <-w.compiled.done:
		return w.compiled.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Workers) compile() {
	defer close(w.compiled.done)
	mark := w.mark()
	if _, err := os.Stat(mark); err == nil {
		return
	}
	p, err := startProcess(w.options.Command, w.options.Environ)
	if err != nil {
		w.compiled.err = err
		return
	}
	if !w.Cached() {
		w.give(p)
		return
	}
	if w.compiled.err = p.ready(w.closing); w.compiled.err == nil {
		_ = os.WriteFile(mark, nil, 0o600) // else it is compiled again
	}
	_ = w.wait(p) // it was killed
}

// mark returns the name of a file in the cache which says that all of the machine code of
// this program's PDFium is there: a program that was ended may have left a part of it, and an
// earlier release that of another version.
func (w *Workers) mark() string {
	parts := []string{"compiled", runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			switch module.Path {
			case "github.com/klippa-app/go-pdfium", "github.com/tetratelabs/wazero":
				parts = append(parts, strings.ReplaceAll(module.Version, "/", "_"))
			}
		}
	}
	return filepath.Join(w.options.Cache, strings.Join(parts, "-"))
}
