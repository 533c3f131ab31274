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

// startProcess starts a process and waits until it is ready, or until ctx ends.
func startProcess(ctx context.Context, command, environ []string) (*process, error) {
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
		return nil, fmt.Errorf("start the PDF worker: %w", err)
	}
	p := &process{command: child, in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out)}
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	var first ready
	if err := p.within(ctx, late.C, func() error { return p.from.Decode(&first) }); err != nil {
		p.close()
		return nil, fmt.Errorf("start the PDF worker: %w", err)
	}
	return p, nil
}

// errTooSlow is the error of a process that was ended because it took too long.
var errTooSlow = errors.New("the PDF worker took too long")

// within runs talk, which communicates with the process, and ends the process if that is
// not done when late comes or ctx ends.
func (p *process) within(ctx context.Context, late <-chan time.Time, talk func() error) error {
	done := make(chan error, 1)
	go func() { done <- talk() }()
	select {
	case err := <-done:
		return err
	case <-late:
		_ = p.command.Process.Kill() // else it has ended by itself
		return errors.Join(errTooSlow, <-done)
	case <-ctx.Done():
		_ = p.command.Process.Kill() // else it has ended by itself
		return errors.Join(ctx.Err(), <-done)
	}
}

// ask sends a request and reads the response, until late.
func (p *process) ask(ctx context.Context, in request, late <-chan time.Time) (out response, err error) {
	err = p.within(ctx, late, func() error {
		if err := p.to.Encode(in); err != nil {
			return err
		}
		return p.from.Decode(&out)
	})
	return out, err
}

// close ends the process, even while it works, and returns how it ended.
func (p *process) close() error {
	_ = p.in.Close()
	_ = p.command.Process.Kill() // It has ended by itself otherwise.
	return p.command.Wait()
}
