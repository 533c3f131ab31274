package redisdb

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Ahead holds the reads of Redis that a request will need later and knows already. They go
// along with the request's next read through Reads, in one round trip.
type Ahead struct {
	mu    sync.Mutex
	of    any
	reads []*redis.StringCmd
	sent  bool
}

// AheadKey is the key under which a context carries its *Ahead.
type AheadKey struct{}

func aheadOf(ctx context.Context) *Ahead {
	a, _ := ctx.Value(AheadKey{}).(*Ahead)
	return a
}

// ReadAhead lets reads go along with the next read of ctx's request, if its context
// carries an *Ahead; of says what they read.
func ReadAhead(ctx context.Context, of any, reads ...*redis.StringCmd) {
	if a := aheadOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.of, a.reads, a.sent = of, reads, false
	}
}

// SentAhead returns the commands that ReadAhead sent for an equal of, each with its reply or
// its error; nil if there are none. It returns them once: whoever asks again wants what is
// true by then.
func SentAhead(ctx context.Context, of any) []*redis.StringCmd {
	a := aheadOf(ctx)
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.sent || a.of != of {
		return nil
	}
	sent := a.reads
	a.of, a.reads, a.sent = nil, nil, false
	return sent
}

// sendWith returns read and what is sent with it.
func (a *Ahead) sendWith(read *redis.StringCmd) []redis.Cmder {
	if a == nil {
		return []redis.Cmder{read}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]redis.Cmder, 0, 1+len(a.reads))
	if !a.sent {
		a.sent = true
		for _, one := range a.reads {
			all = append(all, one)
		}
	}
	return append(all, read)
}
