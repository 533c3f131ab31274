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

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// maxStack is how much a broken tree of objects may make the stack grow: beyond
// it the process crashes, which is cheaper than a gigabyte.
const maxStack = 64 << 20

// garbagePercent lets garbage pile up, for time is scarcer than memory, which has
// a limit of its own.
const garbagePercent = 400

// workerProcs is how many threads read a file and collect garbage.
const workerProcs = 2

// Serve is what a child process does: it answers requests until in ends. exit
// ends the process when a file takes too much memory.
func Serve(in io.Reader, out io.Writer, exit func(status int)) error {
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(garbagePercent)
	runtime.GOMAXPROCS(workerProcs)
	model.ConfigPath = "disable"
	w := &watch{exit: exit}
	from, to := gob.NewDecoder(in), gob.NewEncoder(out)
	if err := to.Encode(ready{PID: os.Getpid()}); err != nil {
		return err
	}
	for {
		var one request
		err := from.Decode(&one)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		stop := w.begin(one.Memory)
		answer := answerTo(one)
		stop()
		if err := to.Encode(answer); err != nil {
			return err
		}
	}
}

// answerTo reads or writes one file. A panic of a library is a refusal.
func answerTo(in request) (out response) {
	defer func() {
		if recover() != nil {
			out = response{Refusal: reasonDamaged}
		}
	}()
	var err error
	switch {
	case len(in.Marks) > 0:
		out.File, err = write(in.File, in.Marks)
	case in.LinesOf > 0:
		out.Lines, err = lines(in.File, in.LinesOf-1)
	default:
		out.Document, err = read(in.File, in.Anchors)
	}
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return response{Refusal: refusal.Reason}
	case err != nil:
		return response{Refusal: reasonDamaged}
	}
	return out
}

// watch ends the process when it takes more memory than it may.
type watch struct{ exit func(int) }

const (
	watchEvery = 5 * time.Millisecond
	// keptMemory is how much the process keeps between two files.
	keptMemory = 64 << 20
)

// begin watches until stop is called.
func (w *watch) begin(limit uint64) (stop func()) {
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
		if inUse() > keptMemory {
			debug.FreeOSMemory()
		}
	}
}

// inUse is the memory that the process has from the system.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
