package redisdb

import (
	"context"
	"sync/atomic"
	"time"
)

// lastWait limits the wait of a command after earlier ones have used up the time:
// a healthy instance answers within it.
const lastWait = 20 * time.Millisecond

// SharedTimeout is one time-out of all commands of a context: it sums up the time that the
// last of them waited in vain. A nil SharedTimeout counts nothing.
type SharedTimeout struct{ nanoseconds atomic.Int64 }

// SharedTimeoutKey is the key under which a context carries its *SharedTimeout.
type SharedTimeoutKey struct{}

// ShareTimeout returns a context whose commands share one time-out. The time that a
// command waited for a silent node is subtracted from the next one's, until a command is
// answered. So a request of many commands waits no longer for a silent Redis than a
// request of one.
func ShareTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, SharedTimeoutKey{}, &SharedTimeout{})
}

func waitedOf(ctx context.Context) *SharedTimeout {
	w, _ := ctx.Value(SharedTimeoutKey{}).(*SharedTimeout)
	return w
}

func (w *SharedTimeout) add(d time.Duration) {
	if w != nil {
		w.nanoseconds.Add(int64(d))
	}
}

func (w *SharedTimeout) reset() {
	if w != nil && w.nanoseconds.Load() != 0 {
		w.nanoseconds.Store(0)
	}
}

// left returns how long a command may wait whose own time-out is limit.
func (w *SharedTimeout) left(limit time.Duration) time.Duration {
	if w == nil {
		return limit
	}
	return min(limit, max(lastWait, limit-time.Duration(w.nanoseconds.Load())))
}
