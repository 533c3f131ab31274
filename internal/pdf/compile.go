package pdf

import (
	"context"
	"os"
	"sync"
)

// compiled is the machine code of PDFium in the cache.
type compiled struct {
	once sync.Once
	done chan struct{} // closed once it is there, or cannot be
	err  error
}

// Prepare compiles PDFium if that has yet to be done, which takes seconds and more memory
// than reading a file: once, in a process of its own, before any that reads files. Without
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
	if kept, err := os.ReadDir(w.options.Cache); err == nil && len(kept) > 0 {
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
	w.compiled.err = p.ready(w.closing)
	_ = p.close() // it was killed
}
