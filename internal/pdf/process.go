package pdf

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// process is one child process. It serves one request at a time.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	to      *gob.Encoder
	from    *gob.Decoder
	served  int // how many files
	// end ends the process after it was idle long enough; nil while it was never idle.
	end *time.Timer
	// started is closed once the process is ready or, with failed, has ended instead.
	started chan struct{}
	failed  error
	// interpreted is ready.Interpreted.
	interpreted bool
}

// keep keeps a process that is in use again.
func (p *process) keep() {
	if p.end != nil {
		p.end.Stop()
	}
}

// startTimeout limits how long a program takes until it is ready: without its cache it
// compiles PDFium first.
const startTimeout = 3 * time.Minute

// startProcess starts a process, which becomes ready beside its caller's work.
func startProcess(command, environ []string) (*process, error) {
	//nolint:gosec,noctx // The command is this very program; it ends with its input.
	child := exec.Command(command[0], command[1:]...)
	child.Env = environ
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("start the PDF worker: %w: %w", &Refusal{Reason: reasonNoProcess, Busy: true}, err)
	}
	p := &process{command: child, in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out), started: make(chan struct{})}
	go p.start()
	return p, nil
}

func (p *process) start() {
	defer close(p.started)
	late := time.AfterFunc(startTimeout, func() { _ = p.command.Process.Kill() }) // else it has ended by itself
	defer late.Stop()
	var first ready
	if err := p.from.Decode(&first); err != nil {
		p.failed = fmt.Errorf("start the PDF worker: %w", err)
	}
	p.interpreted = first.Interpreted
}

// ready waits until the process is ready, or until ctx ends.
func (p *process) ready(ctx context.Context) error {
	select {
	case <-p.started:
		return p.failed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errTooSlow is the error of a process that was ended because it took too long.
var errTooSlow = errors.New("the PDF worker took too long")

// ask sends a request and reads the response. When the time of the budget is over, or ctx
// ends, it kills the process and returns at once: one with much memory takes a while to end.
func (p *process) ask(ctx context.Context, in request, b budget) (response, error) {
	type answer struct {
		out response
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var one answer
		if one.err = p.to.Encode(in); one.err == nil {
			one.err = p.from.Decode(&one.out)
		}
		done <- one
	}()
	for left := b.first(p); left > 0; left = b.next(p) {
		timer := time.NewTimer(left)
		select {
		case one := <-done:
			timer.Stop()
			return one.out, one.err
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			_ = p.command.Process.Kill() // else it has ended by itself
			return response{}, ctx.Err()
		}
	}
	_ = p.command.Process.Kill() // as above
	return response{}, errTooSlow
}

// close ends the process, even while it works, and returns how it ended.
func (p *process) close() error {
	_ = p.in.Close()
	_ = p.command.Process.Kill() // It has ended by itself otherwise.
	return p.command.Wait()
}
