package app

import (
	"context"
	"sync"
)

// task is work that runs beside the listeners, until it is ended.
type task struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// start runs work until the task is ended. The end of ctx alone does not stop it, since
// requests are still served then.
func start(ctx context.Context, work func(context.Context)) *task {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &task{cancel: cancel}
	t.done.Go(func() { work(ctx) })
	return t
}

// end stops the work and waits for it.
func (t *task) end() {
	t.cancel()
	t.done.Wait()
}
