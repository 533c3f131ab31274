package redisdb

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// errLeaseLost is the cause with which the context of Hold's work ends if the lease is
// lost.
var errLeaseLost = errors.New("redisdb: the lease was lost")

// Leases are locks in Redis that one holder has at a time, or a limited number, over all
// nodes. They expire after their holder's end.
//
// Redis replicates after it has answered, so a failover may forget a lease, and two
// then hold it. A lease keeps work from being done twice; it is not what keeps data
// consistent.
type Leases struct {
	client  redis.Cmdable
	key     []byte
	timeout time.Duration
}

// NewLeases makes leases over the client of a DB, with the DB's Timeout. key is a secret
// of any length, by which the names of leases hide their subjects.
func NewLeases(client redis.Cmdable, key []byte, timeout time.Duration) *Leases {
	return &Leases{client: client, key: key, timeout: timeout}
}

// Lease describes a lock.
type Lease struct {
	// Kind names the locked resource, such as "authenticators"; Subject is its owner, such as
	// a canonical user id, or "" if there is one for all.
	Kind, Subject string
	// Life limits how long others wait for a holder that died. The lease is renewed for
	// as long as the work takes.
	Life time.Duration
	// Wait limits how long to wait for another holder; zero asks once.
	Wait time.Duration
	// Slots is the number of holders at a time; zero stands for one.
	Slots int
}

// WithLease runs work while it holds the lease. held is false, and work did not run, if
// somebody else held the lease for all of Wait. The context of work ends when the lease
// is lost, which happens if Redis is away for the rest of its life.
//
// The error is work's, or Unavailable's if Redis failed before work began or the lease
// was lost during it.
func (l *Leases) WithLease(ctx context.Context, lease Lease, work func(context.Context) error) (held bool, err error) {
	working, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	h, held, err := l.acquire(ctx, lease, lose)
	if !held {
		return false, err
	}
	defer h.release(ctx)
	stop := h.keep(working)
	defer stop()
	if err = work(working); err != nil && errors.Is(context.Cause(working), errLeaseLost) {
		err = Unavailable(ctx, "redisdb: hold lease "+lease.Kind, errors.Join(errLeaseLost, err))
	}
	return true, err
}

// Acquire takes the lease until release is called; held is as in WithLease. Losing the lease
// meanwhile has no effect on the caller.
func (l *Leases) Acquire(ctx context.Context, lease Lease) (release func(), held bool, err error) {
	h, held, err := l.acquire(ctx, lease, func(error) {})
	if !held {
		return nil, false, err
	}
	stop := h.keep(context.WithoutCancel(ctx))
	return func() {
		stop()
		h.release(ctx)
	}, true, nil
}

// acquire takes the lease, and calls lose if it is lost.
func (l *Leases) acquire(ctx context.Context, lease Lease, lose context.CancelCauseFunc) (h *heldLease, held bool, err error) {
	h = &heldLease{client: l.client, names: l.names(lease), token: rand.Text(), life: lease.Life, timeout: l.timeout, lose: lose}
	if held, err = h.acquire(ctx, lease.Wait); err != nil {
		h.release(ctx) // the answer to a successful acquisition may have got lost
		return nil, false, Unavailable(ctx, "redisdb: acquire lease "+lease.Kind, err)
	}
	return h, held, nil
}

// names returns the Redis keys of a lease, one for each of its slots, all in one slot of
// a cluster.
func (l *Leases) names(lease Lease) []string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(lease.Kind + "\x00" + lease.Subject))
	name := lease.Kind + ":" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
	if lease.Slots == 0 {
		return []string{"cs:lease:" + name}
	}
	names := make([]string, lease.Slots)
	for i := range names {
		names[i] = "cs:lease:{" + name + "}:" + strconv.Itoa(i)
	}
	return names
}
