package app

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"
)

// errStuck is the error of a write for which the reader of an output did not make room in
// time.
var errStuck = errors.New("the reader of the output takes nothing")

// Output is stdout or stderr of the process. What is written to it at once stays together,
// whole lines without others between them. A reader that stops reading, or that has gone,
// holds up writers for a bounded time only: then their lines are dropped. A file has no such
// reader: writes to it take as long as its disk takes. It is safe for concurrent use.
type Output struct {
	to   io.Writer
	file bool
	now  func() time.Time
	turn chan struct{} // holds a value during a write
	torn bool          // the last write ended within a line; guarded by turn

	mu    sync.Mutex
	began time.Time // when the current write began; zero between writes
}

// NewOutput returns the Output that writes to w.
func NewOutput(w io.Writer, now func() time.Time) *Output {
	o := &Output{to: w, now: now, turn: make(chan struct{}, 1)}
	if f, ok := w.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := f.Stat()
		o.file = err == nil && info.Mode().IsRegular()
	}
	return o
}

// Within returns a writer of whole lines whose writes wait at most d. It calls lost, unless
// that is nil, with the number of lines that are never written.
func (o *Output) Within(d time.Duration, lost func(lines int)) io.Writer {
	if lost == nil {
		lost = func(int) {}
	}
	return patience{o, d, lost}
}

// patience is an Output as a writer that waits only so long.
type patience struct {
	*Output
	within time.Duration
	lost   func(lines int)
}

// Write writes lines. An error means that they are lost or, with errStuck, that they may
// still be written once the reader goes on. Without lines it waits for the current write.
func (p patience) Write(lines []byte) (int, error) {
	timer := time.NewTimer(p.left(p.within))
	defer timer.Stop()
	if !p.take(timer) {
		p.lost(bytes.Count(lines, newline))
		return 0, errStuck
	}
	if len(lines) == 0 || p.file {
		defer p.release()
		return p.put(lines)
	}
	type result struct {
		n   int
		err error
	}
	done, all := make(chan result, 1), bytes.Clone(lines) // the write may outlive this call
	go func() {
		n, err := p.put(all)
		p.release()
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-timer.C:
		return 0, errStuck
	}
}

// left returns how long a write may wait: the time that the current one has taken already
// counts, so that only the first writers wait for a reader that has stopped.
func (o *Output) left(within time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began.IsZero() {
		return within
	}
	return within - o.now().Sub(o.began)
}

// take reports whether the turn to write came before timer ended; for a file it always
// comes. If it comes at once, the write has its whole time.
func (p patience) take(timer *time.Timer) bool {
	end := timer.C
	if p.file {
		end = nil
	}
	select {
	case p.turn <- struct{}{}:
		timer.Reset(p.within)
	default:
		select {
		case p.turn <- struct{}{}:
		case <-end:
			return false
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = p.now()
	return true
}

func (o *Output) release() {
	o.mu.Lock()
	o.began = time.Time{}
	o.mu.Unlock()
	<-o.turn
}

var newline = []byte("\n")

// put writes lines. If the write before ended within a line, they begin on the next.
func (p patience) put(lines []byte) (n int, err error) {
	if len(lines) == 0 {
		return 0, nil
	}
	if p.torn {
		if _, err = p.to.Write(newline); err == nil {
			p.torn = false
		}
	}
	if err == nil {
		n, err = p.to.Write(lines)
		p.torn = n > 0 && lines[n-1] != '\n'
	}
	if err != nil {
		p.lost(bytes.Count(lines[n:], newline))
	}
	return n, err
}
