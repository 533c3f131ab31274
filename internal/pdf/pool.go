package pdf

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Close ends every idle process; busy ones end after their work.
func (w *Workers) Close() {
	defer w.ending.Wait()
	w.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, p := range w.idle {
		p.keep()
		w.end(p)
	}
	w.idle = nil
}

// start returns a new process that is ready.
func (w *Workers) start(ctx context.Context) (*process, error) {
	p, err := startProcess(w.options.Command, w.options.Environ)
	if err != nil {
		return nil, err
	}
	if err = p.ready(ctx); err == nil {
		return p, nil
	}
	if ctx.Err() != nil {
		w.give(p)
	} else {
		w.end(p)
	}
	return nil, err
}

// replace ends a process, and starts another one for the next file.
func (w *Workers) replace(p *process) {
	w.end(p)
	if other, err := startProcess(w.options.Command, w.options.Environ); err == nil {
		w.give(other) // else the next file starts one
	}
}

// end ends a process beside its caller's work.
func (w *Workers) end(p *process) {
	w.ending.Go(func() { _ = w.wait(p) }) // the error only says that it was killed
}

// wait ends a process, even while it works, and returns how it ended.
func (w *Workers) wait(p *process) error {
	err := p.close()
	if w.ended != nil {
		w.ended(p)
	}
	return err
}

// takeIdle returns an idle process, or nil.
func (w *Workers) takeIdle() (*process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("pdf: the workers are closed")
	}
	n := len(w.idle)
	if n == 0 {
		return nil, nil
	}
	p := w.idle[n-1]
	w.idle = w.idle[:n-1]
	p.keep()
	return p, nil
}

// give keeps a process for the next request.
func (w *Workers) give(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || p.served >= maxServed {
		w.end(p)
		return
	}
	p.end = time.AfterFunc(w.options.Idle, func() { w.endIdle(p) })
	w.idle = append(w.idle, p)
}

// endIdle ends a process that was idle long enough.
func (w *Workers) endIdle(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.idle, p); i >= 0 {
		w.idle = slices.Delete(w.idle, i, i+1)
		w.end(p)
	}
}
