package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"time"

	"countersign/internal/account"
	"countersign/internal/events"
	"countersign/internal/formrecovery"
	"countersign/internal/idempotency"
	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// stores are what several domains keep in Redis, each made once.
type stores struct {
	leases  *redisdb.Leases
	limiter *ratelimit.Limiter
	// revisions number what live pages show.
	revisions events.Revisions
	// sessionKeys and accessKeys are the keys of the settings with these names; there are no access
	// keys where neither signing nor verification is in use.
	sessionKeys, accessKeys seal.Keys
	// once keeps the first answers of idempotency keys, sealed with accessKeys; nil where
	// neither is in use.
	once *idempotency.Store
	// presses keep for a moment what the press of a form's button led to, sealed with
	// sessionKeys.
	presses *idempotency.Store
	// passkeys keep what is known of people's passkeys.
	passkeys *account.Passkeys
	// forms keeps the forms of sessions that had ended; nil like once.
	forms *formrecovery.Store
	// lookup takes one of a session's look-ups of what is not its person's.
	lookup func(ctx context.Context, session string) error
}

// lateEffect limits how long a package may still be made after its call failed.
const lateEffect = 3 * time.Second

const (
	// pressKept limits how long the answer to a press is kept: the second click of two comes
	// before the browser shows it.
	pressKept = 5 * time.Second
	// pressWait limits how long a press waits for the same one, which is under way.
	pressWait = 60 * time.Second
)

// openStores makes the stores, and the limits over them.
func (a *App) openStores() error {
	keyOf := func(purpose string) []byte {
		key, _ := hkdf.Key(sha256.New, a.config.DecoyKey, nil, "countersign "+purpose, sha256.Size) // a length that always can be had
		return key
	}
	s := stores{
		leases:    redisdb.NewLeases(a.redis.Client, keyOf("leases"), a.redis.Timeout()),
		limiter:   ratelimit.New(a.redis.Client, keyOf("rate limits")),
		revisions: events.Revisions{Redis: a.redis.Client, Key: keyOf("revisions"), Now: a.now},
	}
	limit, err := ratelimit.Parse(a.config.Rates.Lookup)
	if err != nil {
		return err
	}
	s.lookup = func(ctx context.Context, session string) error {
		return s.limiter.Take(ctx, ratelimit.Count{Name: "lookup", Subject: session, Limit: limit})
	}
	if s.sessionKeys, err = seal.New(a.config.Session.Keys...); err != nil {
		return err
	}
	s.presses = idempotency.New(idempotency.Options{
		Redis: a.redis.Client, Leases: s.leases, Keys: s.sessionKeys, Now: a.now, CallTimeout: a.config.UpstreamTimeout, Grace: lateEffect,
		Keep: pressKept, Wait: pressWait,
	})
	s.passkeys = account.NewPasskeys(account.Passkeys{Redis: a.redis.Client, Keys: s.sessionKeys, Life: a.config.Session.Lifetime, Now: a.now})
	a.stores = s
	if err := a.openLimits(); err != nil {
		return err
	}
	if !a.config.SigningInUse() && !a.config.VerificationInUse() {
		return nil
	}
	if a.stores.accessKeys, err = seal.New(a.config.AccessKeys...); err != nil {
		return err
	}
	a.stores.once = idempotency.New(idempotency.Options{
		Redis: a.redis.Client, Leases: s.leases, Keys: a.stores.accessKeys, Now: a.now, CallTimeout: a.config.UpstreamTimeout, Grace: lateEffect,
	})
	a.stores.forms = formrecovery.New(formrecovery.Options{Redis: a.redis.Client, Keys: a.stores.accessKeys, Lifetime: a.config.Session.Lifetime, Now: a.now})
	return nil
}
