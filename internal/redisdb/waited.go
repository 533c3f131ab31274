package redisdb

import (
	"context"
	"sync/atomic"
	"time"
)

// lastWait is what a command may still wait when those before it have used up their
// time: an instance that answers at all does so within it.
const lastWait = 20 * time.Millisecond

// waited is how long the last commands of one context have waited for answers that did
// not come. A nil waited counts nothing.
type waited struct{ nanoseconds atomic.Int64 }

type waitedKey struct{}

// ShareTimeout returns a context whose commands share one time-out. What one of them has
// waited for a node that did not answer is taken off what the next may wait, until one is
// answered again. So a request of many commands waits no longer for a silent Redis than a
// request of one.
func ShareTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, waitedKey{}, &waited{})
}

func waitedOf(ctx context.Context) *waited {
	w, _ := ctx.Value(waitedKey{}).(*waited)
	return w
}

func (w *waited) add(d time.Duration) {
	if w != nil {
		w.nanoseconds.Add(int64(d))
	}
}

func (w *waited) reset() {
	if w != nil && w.nanoseconds.Load() != 0 {
		w.nanoseconds.Store(0)
	}
}

// left is what a command may wait that alone could wait for limit.
func (w *waited) left(limit time.Duration) time.Duration {
	if w == nil {
		return limit
	}
	return min(limit, max(lastWait, limit-time.Duration(w.nanoseconds.Load())))
}
