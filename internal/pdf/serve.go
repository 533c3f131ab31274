package pdf

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// maxStack limits the growth of the stack on a broken tree of objects: beyond it the
// process crashes, which is cheaper than a gigabyte.
const maxStack = 64 << 20

// garbagePercent collects garbage seldom, because time is scarcer than memory, which has
// a separate limit.
const garbagePercent = 400

// workerProcs is the number of threads that read a file and collect garbage.
const workerProcs = 2

// Server is a child process.
type Server struct {
	// Cache is the folder for PDFium's machine code; "" compiles it again.
	Cache string
	// Fonts is a folder of fonts that stand in for those that a file does not hold, beside
	// those of fonts.New; "" is none.
	Fonts string
	// Exit ends the process at once: when a file takes too much memory, and when in ends,
	// since nobody waits for an answer then.
	Exit func(status int)
}

// WithArguments returns the server with the arguments that Workers give a process: its
// Cache and its Fonts.
func (s Server) WithArguments(args []string) Server {
	for i, to := range []*string{&s.Cache, &s.Fonts} {
		if i < len(args) {
			*to = args[i]
		}
	}
	return s
}

// Serve answers requests until in ends, and then calls Exit even while PDFium is compiled or
// a file is read: a process does not outlive the one that started it. It returns the error
// of a start or an answer that failed.
func (s Server) Serve(in io.Reader, out io.Writer) error {
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(garbagePercent)
	runtime.GOMAXPROCS(workerProcs)
	requests := make(chan request)
	go s.receive(in, requests)
	e, err := startPDFium(s.Cache, s.Fonts)
	if err != nil {
		return err
	}
	debug.FreeOSMemory() // what compiling left
	w := &watch{exit: s.Exit, before: inUse()}
	to := gob.NewEncoder(out)
	if err := to.Encode(ready{PID: os.Getpid(), Interpreted: !CanCompile()}); err != nil {
		return err
	}
	for one := range requests {
		stop := w.begin(one.Memory)
		answer := answerTo(e, one)
		stop()
		if err := to.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// receive hands the requests on, and ends the process with them.
func (s Server) receive(in io.Reader, requests chan<- request) {
	defer close(requests)
	from := gob.NewDecoder(in)
	for {
		var one request
		switch err := from.Decode(&one); {
		case errors.Is(err, io.EOF):
			s.Exit(0)
			return
		case err != nil:
			s.Exit(exitBroken)
			return
		}
		requests <- one
	}
}

// answerTo carries out a request. A panic of a library is a refusal.
func answerTo(e *engine, in request) (out response) {
	defer func() {
		if recover() != nil {
			out = response{Refusal: reasonDamaged}
		}
	}()
	err := out.read(e, in)
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return response{Refusal: refusal.Reason}
	case err != nil:
		return response{Refusal: reasonDamaged}
	}
	return out
}

// read carries out a request about a document.
func (out *response) read(e *engine, in request) error {
	if in.Task == drawPage {
		picture, ok, err := e.draw(in)
		out.Picture, out.NoPage = picture, !ok
		return err
	}
	o, err := open(e, in.File)
	if err != nil {
		return err
	}
	defer o.close()
	switch in.Task {
	case readDocument:
		out.Document, err = o.read(in.Anchors)
		return err
	case searchText:
		out.Places, err = o.occurrences(in.Text)
		return err
	case fillFile:
		out.File, err = o.fill(in.Filling)
		return err
	}
	if in.Page < 0 || in.Page >= o.count {
		out.NoPage = true
		return nil
	}
	p, err := o.page(in.Page)
	if err != nil {
		return err
	}
	defer p.close()
	t, err := p.text()
	if err != nil {
		return err
	}
	defer t.close()
	if in.Task == readLines {
		out.Lines = t.lines()
	} else {
		out.Text = t.plain()
	}
	return nil
}

// watch ends the process when it exceeds its memory limit.
type watch struct {
	exit func(int)
	// before is the memory that PDFium's code takes; interpreted, it is much.
	before uint64
}

const (
	watchEvery = 5 * time.Millisecond
	// keptMemory is the memory that the process keeps between two files.
	keptMemory = 64 << 20
)

// begin watches until stop is called.
func (w *watch) begin(limit uint64) (stop func()) {
	limit += w.before
	debug.SetMemoryLimit(int64(limit))
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if inUse() > limit {
					w.exit(exitTooLarge)
				}
			}
		}
	}()
	return func() {
		close(done)
		if inUse() > w.before+keptMemory {
			debug.FreeOSMemory()
		}
	}
}

// inUse returns the memory that the process has from the system.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
