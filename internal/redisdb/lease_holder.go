package redisdb

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// leasePoll is the interval at which a lease that somebody else holds is asked for
	// again.
	leasePoll = 50 * time.Millisecond
	// leaseRenewals is the number of renewals within a lease's life.
	leaseRenewals = 3
)

// releaseTimeout limits the release of a lease, to 0.15 s of a command's 0.8 s: the
// result of the finished work waits for it.
func releaseTimeout(limit time.Duration) time.Duration { return limit * 3 / 16 }

// The scripts of a lease take the names of its slots, the token that identifies the
// holder, and the lease's life in milliseconds. They return the number of the held slot,
// from 1, or 0 for none. Running one twice for one holder does no harm.
var (
	acquireLease = redis.NewScript(`
local free = 0
for i, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if holder == ARGV[1] then
    free = i
    break
  end
  if not holder and free == 0 then free = i end
end
if free > 0 then redis.call('SET', KEYS[free], ARGV[1], 'PX', ARGV[2]) end
return free`)
	renewLease = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)
	releaseLease = redis.NewScript(`
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then return redis.call('DEL', key) end
end
return 0`)
)

// heldLease is one holder's side of a lease.
type heldLease struct {
	client  redis.Cmdable
	names   []string // of its slots; once it is held, of that one
	token   string
	life    time.Duration
	timeout time.Duration           // of a command
	lose    context.CancelCauseFunc // ends the work
	expiry  *time.Timer             // calls lose at the end of the lease
}

// acquire takes the lease, and waits for it up to wait.
func (h *heldLease) acquire(ctx context.Context, wait time.Duration) (held bool, err error) {
	waited := time.NewTimer(wait)
	defer waited.Stop()
	for {
		if held, err = h.extend(ctx, acquireLease); held || err != nil {
			return held, err
		}
		select {
		case <-time.After(leasePoll):
		case <-waited.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// extend renews the lease for its whole life from now; held is false if somebody else
// holds it. The timer starts before the call to Redis, so that it ends no later than the
// lease.
func (h *heldLease) extend(ctx context.Context, script *redis.Script) (held bool, err error) {
	expiry := time.AfterFunc(h.life, func() { h.lose(errLeaseLost) })
	slot, err := script.Run(ctx, h.client, h.names, h.token, h.life.Milliseconds()).Int()
	if err != nil || slot == 0 {
		expiry.Stop()
		return false, err
	}
	h.names = h.names[slot-1 : slot]
	if h.expiry != nil {
		h.expiry.Stop()
	}
	h.expiry = expiry
	return true, nil
}

// keep renews the lease until it is lost or stop is called.
func (h *heldLease) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(h.life / leaseRenewals)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				h.renew(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
		h.expiry.Stop()
	}
}

// renew ends the work if somebody else has the lease. If Redis is away, it is tried
// again, and the timer ends the work once the lease is over.
func (h *heldLease) renew(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout(h.timeout))
	defer cancel()
	if held, err := h.extend(ctx, renewLease); err == nil && !held {
		h.lose(errLeaseLost)
	}
}

// release gives the lease back if it is held. If that fails, the lease expires.
func (h *heldLease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout(h.timeout))
	defer cancel()
	for range 2 {
		if releaseLease.Run(ctx, h.client, h.names, h.token).Err() == nil {
			return
		}
	}
}
