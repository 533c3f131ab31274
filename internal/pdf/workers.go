package pdf

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Options configure Workers.
type Options struct {
	// Command starts a child process: this program, so that it calls Server.Serve.
	Command []string
	// Cache is the folder for PDFium's machine code, made by PrepareCache; the child
	// processes get it as their last argument. With "" each of them compiles PDFium anew.
	Cache string
	// Environ is their environment, NAME=value each; nil is this process's.
	Environ []string
	// Processes limits the processes at a time; zero stands for 2.
	Processes int
	// Timeout limits how long a ready process takes for a file; zero stands for 1.75 s, so
	// that with its start a file is refused within 2 s.
	// Changing a file may take five times as long.
	Timeout time.Duration
	// Idle limits how long an idle process is kept; zero stands for 5 minutes.
	Idle time.Duration
}

const (
	defaultProcesses = 2
	defaultTimeout   = 1750 * time.Millisecond
	defaultIdle      = 5 * time.Minute
	changingFactor   = 5
	// patience is the number of time-outs that a file waits for a process.
	patience = 5
	// baseMemory and memoryPerByte give the memory that a process may take for a file.
	baseMemory    = 512 << 20
	memoryPerByte = 4
)

// maxServed is the number of files after which a process is replaced, so that a library's
// leftovers cannot pile up.
const maxServed = 200

// exitTooLarge is the exit status of a process that took too much memory.
const exitTooLarge = 3

// Workers manages the child processes. They are started at the first need, and again
// after their end. It is safe for concurrent use.
type Workers struct {
	options Options
	slots   chan struct{}

	mu     sync.Mutex
	idle   []*process
	closed bool
}

// NewWorkers makes Workers without starting a process.
func NewWorkers(o Options) *Workers {
	if o.Processes == 0 {
		o.Processes = defaultProcesses
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	if o.Cache != "" {
		o.Command = append(slices.Clip(o.Command), o.Cache)
	}
	return &Workers{options: o, slots: make(chan struct{}, o.Processes)}
}

// Read returns the content of a file, and the positions of the anchors. The error is a
// *Refusal for a file that cannot be read, or that no process has time for.
func (w *Workers) Read(ctx context.Context, file []byte, anchors []Anchor) (Document, error) {
	out, err := w.do(ctx, request{Task: readDocument, File: file, Anchors: anchors}, w.options.Timeout)
	return out.Document, err
}

// Find is Read, with what matches a pattern (RE2) in the text.
func (w *Workers) Find(ctx context.Context, file []byte, anchors []Anchor, pattern string) (Document, error) {
	out, err := w.do(ctx, request{Task: readDocument, File: file, Anchors: anchors, Pattern: pattern}, w.options.Timeout)
	return out.Document, err
}

// Search returns the positions of a text in a file, each from its first character to its
// last, in the order in which Anchor.Index counts them; 2,000 at most. It compares
// exactly, except for white space. Its errors are Read's.
func (w *Workers) Search(ctx context.Context, file []byte, text string) ([]Place, error) {
	out, err := w.do(ctx, request{Task: searchText, File: file, Text: text}, w.options.Timeout)
	return out.Places, err
}

// Lines returns the lines of text of a page, which counts from 0; none where there is no
// such page. Its errors are Read's.
func (w *Workers) Lines(ctx context.Context, file []byte, page int) ([]Line, error) {
	out, err := w.do(ctx, request{Task: readLines, File: file, Page: page}, w.options.Timeout)
	return out.Lines, err
}

// Text returns the text of a page, counted from 0, in reading order, with a line feed
// after each line; ok is false if there is no such page. Its errors are Read's.
func (w *Workers) Text(ctx context.Context, file []byte, page int) (text string, ok bool, err error) {
	out, err := w.do(ctx, request{Task: readText, File: file, Page: page}, w.options.Timeout)
	return out.Text, err == nil && !out.NoPage, err
}

// Draw returns a picture of a page, counted from 0, so many pixels wide, or smaller if it
// would exceed 8 megapixels; ok is false if there is no such page. Its errors are Read's.
func (w *Workers) Draw(ctx context.Context, file []byte, page, width int) (picture Picture, ok bool, err error) {
	out, err := w.do(ctx, request{Task: drawPage, File: file, Page: page, Width: width}, w.options.Timeout)
	return out.Picture, err == nil && !out.NoPage, err
}

// Change returns the file as Server.Change changes it. Its errors are Read's.
func (w *Workers) Change(ctx context.Context, file, job []byte) ([]byte, error) {
	out, err := w.do(ctx, request{Task: changeFile, File: file, Job: job}, changingFactor*w.options.Timeout)
	return out.File, err
}

// Prepare starts a process if PDFium has yet to be compiled, which takes seconds, so that
// the first file does not wait for that. If the machine code is cached already, it does
// nothing.
func (w *Workers) Prepare(ctx context.Context) error {
	if kept, err := os.ReadDir(w.options.Cache); err == nil && len(kept) > 0 {
		return nil
	}
	p, err := w.take(ctx)
	if err == nil {
		w.give(p)
	}
	return err
}

// do sends a request to a process once one is free.
func (w *Workers) do(ctx context.Context, in request, limit time.Duration) (response, error) {
	if err := w.enter(ctx); err != nil {
		return response{}, err
	}
	defer w.leave()
	return w.ask(ctx, in, limit)
}

// Close ends every idle process; busy ones end after their work.
func (w *Workers) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, p := range w.idle {
		p.keep()
		_ = p.close() // the error only says that it was killed
	}
	w.idle = nil
}

// enter waits for a place for a process.
func (w *Workers) enter(ctx context.Context) error {
	select {
	case w.slots <- struct{}{}:
		return nil
	default:
	}
	waited := time.NewTimer(patience * w.options.Timeout)
	defer waited.Stop()
	select {
	case w.slots <- struct{}{}:
		return nil
	case <-waited.C:
		return busy()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Workers) leave() { <-w.slots }

func busy() *Refusal { return &Refusal{Reason: reasonBusy, Busy: true} }

func (w *Workers) ask(ctx context.Context, in request, limit time.Duration) (response, error) {
	in.Memory = baseMemory + memoryPerByte*uint64(len(in.File))
	p, err := w.take(ctx)
	if err != nil {
		return response{}, err
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		out, err := w.answer(ctx, p, in, late.C)
		if !errors.Is(err, errMayHaveEnded) {
			return out, err
		}
		if p, err = w.take(ctx); err != nil {
			return response{}, err
		}
	}
}

// errMayHaveEnded is the error of a process that may have ended while it was idle.
var errMayHaveEnded = errors.New("the PDF worker had ended")

// answer returns what a process answers until late, and keeps or ends the process.
func (w *Workers) answer(ctx context.Context, p *process, in request, late <-chan time.Time) (response, error) {
	out, err := p.ask(ctx, in, late)
	switch {
	case err == nil && out.Refusal == "":
		w.give(p)
		return out, nil
	case err == nil: // PDFium may be in a bad state
		_ = p.close() // the error only says that it was killed
		return response{}, &Refusal{Reason: out.Refusal}
	case ctx.Err() != nil:
		_ = p.close() // likewise
		return response{}, ctx.Err()
	}
	reason := reasonOf(err, p.close())
	if reason == reasonDamaged && p.served > 0 {
		return response{}, errMayHaveEnded
	}
	return response{}, &Refusal{Reason: reason}
}

// reasonOf returns the reason of a process's end.
func reasonOf(asked, ended error) string {
	var exit *exec.ExitError
	switch {
	case errors.Is(asked, errTooSlow):
		return reasonTooSlow
	case errors.As(ended, &exit) && exit.ExitCode() == exitTooLarge:
		return reasonTooLarge
	default:
		return reasonDamaged // the file made the process crash
	}
}

// take returns an idle process, or a new one.
func (w *Workers) take(ctx context.Context) (*process, error) {
	p, err := w.takeIdle()
	if p != nil || err != nil {
		return p, err
	}
	return startProcess(ctx, w.options.Command, w.options.Environ)
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
	p.served++
	if w.closed || p.served >= maxServed {
		_ = p.close() // the error only says that it was killed
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
		_ = p.close() // the error only says that it was killed
	}
}
