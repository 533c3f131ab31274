package redisdb

import (
	"context"
	"sync/atomic"
	"time"
)

// lastWait limits the wait of a command after earlier ones have used up the time:
// a healthy instance answers within it.
const lastWait = 20 * time.Millisecond

// waited sums up the time that the last commands of one context waited in vain. A
// nil waited counts nothing.
type waited struct{ nanoseconds atomic.Int64 }

type waitedKey struct{}

// ShareTimeout returns a context whose commands share one time-out. The time that a
// command waited for a silent node is subtracted from the next one's, until a command is
// answered. So a request of many commands waits no longer for a silent Redis than a
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

// left returns how long a command may wait whose own time-out is limit.
func (w *waited) left(limit time.Duration) time.Duration {
	if w == nil {
		return limit
	}
	return min(limit, max(lastWait, limit-time.Duration(w.nanoseconds.Load())))
}
