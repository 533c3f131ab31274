package pdf

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"
)

// Options configure Workers.
type Options struct {
	// Command starts a child process: this program, so that it calls Server.Serve.
	Command []string
	// Cache is the folder for PDFium's machine code, made by PrepareCache; the child
	// processes get it as an argument. With "" each of them compiles PDFium anew.
	Cache string
	// Fonts is Server.Fonts, which they get as an argument after it.
	Fonts string
	// Environ is their environment, NAME=value each; nil is this process's.
	Environ []string
	// Processes limits the processes at a time; zero stands for 2.
	Processes int
	// Timeout limits how long a file takes, the start of a process included; zero stands for
	// 1.65 s, so that a file is refused within 2 s. Where PDFium has yet to be compiled, a
	// file has two thirds of that once the process is ready.
	// Changing a file may take five times as long.
	Timeout time.Duration
	// Idle limits how long an idle process is kept; zero stands for 5 minutes.
	Idle time.Duration
}

const (
	defaultProcesses = 2
	defaultTimeout   = 1650 * time.Millisecond
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

// Exit statuses of a process.
const (
	exitBroken   = 1 // a request could not be read
	exitTooLarge = 3 // a file took too much memory
)

// Workers manages the child processes. They are started at the first need, and again
// after their end. It is safe for concurrent use.
type Workers struct {
	options Options
	slots   chan struct{}

	mu     sync.Mutex
	idle   []*process
	closed bool
	ending sync.WaitGroup // the processes that were killed

	last lastRead
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
	o.Command = append(slices.Clip(o.Command), o.Cache, o.Fonts)
	return &Workers{options: o, slots: make(chan struct{}, o.Processes)}
}

// Cached reports whether PDFium's machine code is kept.
func (w *Workers) Cached() bool { return w.options.Cache != "" }

// Read returns the content of a file, and the positions of the anchors. The error is a
// *Refusal for a file that cannot be read, or that no process has time for.
func (w *Workers) Read(ctx context.Context, file []byte, anchors []Anchor) (Document, error) {
	if len(anchors) > 0 {
		out, err := w.do(ctx, request{Task: readDocument, File: file, Anchors: anchors}, w.options.Timeout)
		return out.Document, err
	}
	return w.last.read(file, func() (Document, error) {
		out, err := w.do(ctx, request{Task: readDocument, File: file}, w.options.Timeout)
		return out.Document, err
	})
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
	p, err := startProcess(w.options.Command, w.options.Environ)
	if err != nil {
		return err
	}
	w.give(p) // a file that comes meanwhile waits for it
	return p.ready(ctx)
}
