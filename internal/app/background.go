package app

import (
	"context"
	"sync"
)

// background is work that goes on beside the listeners, from start to end.
type background struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// start does work until end. The end of ctx alone does not end it: requests are
// still served then.
func (b *background) start(ctx context.Context, work func(context.Context)) {
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	b.done.Go(func() { work(ctx) })
}

// end has the work end, and waits for that; without a start it does nothing.
func (b *background) end() {
	if b.cancel != nil {
		b.cancel()
	}
	b.done.Wait()
}
