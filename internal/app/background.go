package app

import (
	"context"
	"sync"
)

// background is work that runs beside the listeners, from start to end.
type background struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// start runs work until end is called. The end of ctx alone does not stop it, since
// requests are still served then.
func (b *background) start(ctx context.Context, work func(context.Context)) {
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	b.done.Go(func() { work(ctx) })
}

// end stops the work and waits for it; without a start it does nothing.
func (b *background) end() {
	if b.cancel != nil {
		b.cancel()
	}
	b.done.Wait()
}
