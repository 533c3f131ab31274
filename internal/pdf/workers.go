package pdf

import (
	"cmp"
	"context"
	"log/slog"
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
	// processes get it as an argument. With "" each of them compiles PDFium.
	Cache string
	// Fonts is Server.Fonts, which they get as an argument after it.
	Fonts string
	// Environ is their environment, NAME=value each; nil is this process's.
	Environ []string
	// Processes limits the processes at a time; zero stands for as many as Memory allows.
	Processes int
	// Memory is what this process and its children may take; zero stands for what the system
	// says.
	Memory uint64
	// Timeout limits how long a file takes, the start of a process included; zero stands for
	// 1.65 s, so that a file is refused within 2 s. Where PDFium has yet to be compiled, a
	// file has two thirds of that once the process is ready.
	// That is the time of a processor; by the clock it may be five times as long where the
	// machine is busy, and twenty times where PDFium is interpreted (CanCompile).
	// Filling a file may take five times as long.
	Timeout time.Duration
	// Logger is told of processes that were killed; nil is told nothing.
	Logger *slog.Logger
	// Idle limits how long an idle process is kept; zero stands for 5 minutes.
	Idle time.Duration
}

const (
	defaultProcesses = 2
	defaultTimeout   = 1650 * time.Millisecond
	defaultIdle      = 5 * time.Minute
	fillingFactor    = 5
	// patience is the number of time-outs that a file waits for a process.
	patience = 5
	// baseMemory and memoryPerByte give the memory that a process may take for a file beside
	// PDFium's own: pictures, and copies of the file.
	baseMemory    = 96 << 20
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

	last     lastRead
	compiled compilation
	// closing ends with Close.
	closing context.Context //nolint:containedctx // of the process that compiles, which belongs to nobody's request
	close   context.CancelFunc
	ended   func(*process) // for tests; nil is nothing
}

// NewWorkers makes Workers without starting a process.
func NewWorkers(o Options) *Workers {
	if o.Processes == 0 {
		o.Processes = processesWithin(cmp.Or(o.Memory, memoryBound(os.DirFS("/"))))
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	o.Command = append(slices.Clip(o.Command), o.Cache, o.Fonts)
	w := &Workers{options: o, slots: make(chan struct{}, o.Processes), compiled: compilation{done: make(chan struct{})}}
	w.closing, w.close = context.WithCancel(context.Background())
	return w
}

// Processes returns the number of processes at a time, at most.
func (w *Workers) Processes() int { return w.options.Processes }

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

// Fill returns the file with f written into it, unencrypted. Its errors are Read's.
func (w *Workers) Fill(ctx context.Context, file []byte, f Filling) ([]byte, error) {
	out, err := w.do(ctx, request{Task: fillFile, File: file, Filling: f}, fillingFactor*w.options.Timeout)
	return out.File, err
}
