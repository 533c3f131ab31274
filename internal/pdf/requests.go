package pdf

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// do sends a request to a process once one is free.
func (w *Workers) do(ctx context.Context, in request, limit time.Duration) (response, error) {
	if err := w.Prepare(ctx); ctx.Err() != nil {
		return response{}, err
	} // what went wrong goes wrong again, and is told then
	if err := w.enter(ctx); err != nil {
		return response{}, err
	}
	defer w.leave()
	return w.ask(ctx, in, limit)
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
	late := time.Now().Add(limit) //nolint:forbidigo // A process is given the machine's own time.
	p, err := w.takeIdle()
	rested := p != nil
	if err == nil && !rested {
		p, err = w.start(ctx)
	}
	if err != nil {
		return response{}, err
	}
	out, err := w.answer(ctx, p, in, late, limit)
	if rested && errors.Is(err, errEnded) { // while it was idle
		if p, err = w.start(ctx); err == nil {
			out, err = w.answer(ctx, p, in, late, limit)
		}
	}
	if _, told := errors.AsType[*Refusal](err); errors.Is(err, errEnded) && !told {
		err = &Refusal{Reason: reasonDamaged} // the file made the process crash
	}
	return out, err
}

// errEnded is the error of a process that had ended, or that the file made crash.
var errEnded = errors.New("the PDF worker has ended")

// answer returns what a process answers until late, though it has two thirds of the limit
// once it is ready, and keeps or replaces the process.
func (w *Workers) answer(ctx context.Context, p *process, in request, late time.Time, limit time.Duration) (response, error) {
	if err := p.ready(ctx); ctx.Err() != nil {
		w.give(p)
		return response{}, ctx.Err()
	} else if err != nil {
		w.end(p)
		return response{}, errors.Join(errEnded, err)
	}
	if p.interpreted {
		limit *= interpretedFactor
	}
	out, err := p.ask(ctx, in, budget{limit: limit, late: late})
	switch {
	case err == nil && out.Refusal == "":
		p.served++
		w.give(p)
		return out, nil
	case err == nil: // PDFium may be in a bad state
		err = &Refusal{Reason: out.Refusal}
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(err, errTooSlow):
		err = &Refusal{Reason: reasonTooSlow}
	default:
		return response{}, w.reasonOf(w.wait(p))
	}
	w.replace(p)
	return response{}, err
}

// reasonOf returns the error of a process that ended by itself, or was killed.
func (w *Workers) reasonOf(ended error) error {
	var exit *exec.ExitError
	if !errors.As(ended, &exit) {
		return errEnded
	}
	if exit.ExitCode() == exitTooLarge {
		return &Refusal{Reason: reasonTooLarge}
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		w.options.Logger.Warn("pdf worker killed while reading a file", "cause", "signal: killed, as a system does that lacks memory", "workers", w.options.Processes)
		return errors.Join(errEnded, &Refusal{Reason: reasonKilled, Busy: true})
	}
	return errEnded
}
