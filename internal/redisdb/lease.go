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

// errLeaseLost is why the context of Hold's work ended before the work did.
var errLeaseLost = errors.New("redisdb: the lease was lost")

// Leases are locks in Redis that one holder has at a time, or a number of them, over all
// nodes, and that end by themselves when their holder does.
//
// Redis replicates after it has answered, so a failover may forget a lease, and two
// then hold it. A lease keeps work from being done twice; it is not what keeps data
// consistent.
type Leases struct {
	client  redis.UniversalClient
	key     []byte
	timeout time.Duration
}

// NewLeases makes leases over the client of a DB, with the DB's Timeout. key is a secret
// of any length; it turns the subjects of leases into names that tell nobody whom they
// are for.
func NewLeases(client redis.UniversalClient, key []byte, timeout time.Duration) *Leases {
	return &Leases{client: client, key: key, timeout: timeout}
}

// Lease says what is held and how.
type Lease struct {
	// Kind is what is locked, as "authenticators"; Subject is for whom, as a canonical
	// user id, or "" where there is one for all.
	Kind, Subject string
	// Life is how long others wait for a holder that has died without a word. It is
	// renewed for as long as the work takes.
	Life time.Duration
	// Wait is how long to wait for another holder; zero asks once.
	Wait time.Duration
	// Slots is how many hold it at a time; zero is one.
	Slots int
}

// Hold runs work while it holds the lease, and reports whether it did: false is
// somebody else holding the lease for all of Wait. The context of work ends when the
// lease is lost, which takes Redis being away for the rest of its life.
//
// The error is work's, or Unavailable's where Redis failed before work began or the
// lease was lost under it.
func (l *Leases) Hold(ctx context.Context, lease Lease, work func(context.Context) error) (held bool, err error) {
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

// Take takes the lease until release is called, and reports whether it did, as Hold. A
// lease that is lost meanwhile ends nothing.
func (l *Leases) Take(ctx context.Context, lease Lease) (release func(), held bool, err error) {
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

// acquire takes the lease. lose is called where it is lost.
func (l *Leases) acquire(ctx context.Context, lease Lease, lose context.CancelCauseFunc) (h *holding, held bool, err error) {
	h = &holding{client: l.client, names: l.names(lease), token: rand.Text(), life: lease.Life, timeout: l.timeout, lose: lose}
	if held, err = h.acquire(ctx, lease.Wait); err != nil {
		h.release(ctx) // the answer may have got lost
		return nil, false, Unavailable(ctx, "redisdb: acquire lease "+lease.Kind, err)
	}
	return h, held, nil
}

// names are the keys of a lease in Redis, one for each of its slots, all in one slot of a
// cluster.
func (l *Leases) names(lease Lease) []string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(lease.Kind + "\x00" + lease.Subject))
	name := lease.Kind + ":" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
	if lease.Slots == 0 {
		return []string{"lease:" + name}
	}
	names := make([]string, lease.Slots)
	for i := range names {
		names[i] = "lease:{" + name + "}:" + strconv.Itoa(i)
	}
	return names
}
