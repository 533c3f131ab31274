package pdf

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// Options are how documents are read.
type Options struct {
	// Command starts a child process: this program, so that it calls Serve.
	Command []string
	// Environ is their environment, NAME=value each; nil is this process's.
	Environ []string
	// Processes is how many there are at once; zero is 5.
	Processes int
	// Timeout is how long reading a file may take; zero is 1.5 seconds. It is less
	// where many files are read at once, and writing may take five times as long.
	Timeout time.Duration
}

const (
	defaultProcesses = 5
	defaultTimeout   = 1500 * time.Millisecond
	writingFactor    = 5
	// baseMemory and memoryPerByte are what a process may take for a file.
	baseMemory    = 384 << 20
	memoryPerByte = 4
)

// maxServed is after how many files a process is replaced, so that nothing that a
// library keeps piles up.
const maxServed = 200

// exitTooLarge is the status of a process that has taken too much memory.
const exitTooLarge = 3

// Workers are the child processes. They are started when they are first needed,
// and again after their end. It is safe for concurrent use.
type Workers struct {
	options Options
	slots   chan struct{}

	mu     sync.Mutex
	idle   []*process
	closed bool
}

// NewWorkers starts nothing yet.
func NewWorkers(o Options) *Workers {
	if o.Processes == 0 {
		o.Processes = defaultProcesses
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return &Workers{options: o, slots: make(chan struct{}, o.Processes)}
}

// Read is what is known of a file, and where the anchors stand. A file that
// cannot be read is a *Refusal, and so is one that there is no process for in time.
func (w *Workers) Read(ctx context.Context, file []byte, anchors []Anchor) (Document, error) {
	out, err := w.look(ctx, request{File: file, Anchors: anchors})
	return out.Document, err
}

// Lines are the lines of text of a page, which counts from 0; none where there is no
// such page. Its errors are Read's.
func (w *Workers) Lines(ctx context.Context, file []byte, page int) ([]Line, error) {
	out, err := w.look(ctx, request{File: file, LinesOf: page + 1})
	return out.Lines, err
}

// look asks for something of a file, which takes little time.
func (w *Workers) look(ctx context.Context, in request) (response, error) {
	limit, err := w.enter(ctx)
	if err != nil {
		return response{}, err
	}
	defer w.leave()
	out, err := w.ask(in, limit)
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Reason == reasonTooSlow && limit < w.options.Timeout {
		return response{}, busy()
	}
	return out, err
}

// Write is the file with the marks in it. A file that cannot be read is a
// *Refusal.
func (w *Workers) Write(ctx context.Context, file []byte, marks []Mark) ([]byte, error) {
	if len(marks) == 0 {
		return file, nil
	}
	select {
	case w.slots <- struct{}{}:
		defer w.leave()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, err := w.ask(request{File: file, Marks: marks}, writingFactor*w.options.Timeout)
	return out.File, err
}

// Close ends every process that is not at work; those at work end after it.
func (w *Workers) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, p := range w.idle {
		_ = p.close() // It was killed.
	}
	w.idle = nil
}

// enter takes a place among the processes, and says for how long. Waiting and
// reading together take little more than the time-out: whoever takes the last place
// has less time, because others may wait for it, and those who have waited have the
// least.
func (w *Workers) enter(ctx context.Context) (time.Duration, error) {
	limit := w.options.Timeout
	select {
	case w.slots <- struct{}{}:
		if len(w.slots) == cap(w.slots) {
			return limit * 2 / 3, nil
		}
		return limit, nil
	default:
	}
	patience := time.NewTimer(limit * 4 / 5)
	defer patience.Stop()
	select {
	case w.slots <- struct{}{}:
		return limit / 3, nil
	case <-patience.C:
		return 0, busy()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (w *Workers) leave() { <-w.slots }

func busy() *Refusal { return &Refusal{Reason: reasonBusy, Busy: true} }

func (w *Workers) ask(in request, limit time.Duration) (response, error) {
	p, err := w.take()
	if err != nil {
		return response{}, err
	}
	in.Memory = baseMemory + memoryPerByte*uint64(len(in.File))
	out, err := p.ask(in, limit)
	if err != nil {
		return response{}, &Refusal{Reason: reasonOf(err, p.close())}
	}
	w.give(p)
	if out.Refusal != "" {
		return response{}, &Refusal{Reason: out.Refusal}
	}
	return out, nil
}

// reasonOf is why a process has ended.
func reasonOf(asked, ended error) string {
	var exit *exec.ExitError
	switch {
	case errors.Is(asked, errTooSlow):
		return reasonTooSlow
	case errors.As(ended, &exit) && exit.ExitCode() == exitTooLarge:
		return reasonTooLarge
	default:
		return reasonDamaged // It has made the process crash.
	}
}

// take is an idle process, or a new one.
func (w *Workers) take() (*process, error) {
	p, err := w.takeIdle()
	if p != nil || err != nil {
		return p, err
	}
	return startProcess(w.options.Command, w.options.Environ)
}

// takeIdle is an idle process, nil where there is none.
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
	return p, nil
}

// give keeps a process for the next request.
func (w *Workers) give(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.served++
	if w.closed || p.served >= maxServed {
		_ = p.close() // It was killed.
		return
	}
	w.idle = append(w.idle, p)
}
