package index

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/verification"
)

const (
	// sweepPoll is the interval at which a node looks whether a sweep is due.
	sweepPoll = time.Second
	// failurePause is the pause of a node after a sweep that failed.
	failurePause = 15 * time.Second
	// sweepLife limits how long others wait for a node that died while it swept.
	sweepLife = 10 * time.Second
	// sweptAtOnce is the number of transactions that a sweep asks the platform about at a
	// time, and sweptTogether the number of records that it reads in one call of Redis.
	sweptAtOnce, sweptTogether = 4, 100
)

// Run sweeps until ctx ends: every time, one of all nodes asks the platform about each
// transaction that may still change, and forgets the erased ones. So lists are right
// although nobody opens what they list. After each sweep, the node that made it calls then. What
// fails is logged and done again.
func (t *Index) Run(ctx context.Context, every time.Duration, logger *slog.Logger, then func(context.Context)) {
	ticker := time.NewTicker(sweepPoll)
	defer ticker.Stop()
	var next time.Time // when this node looks again; another may have swept meanwhile
	for {
		if now := t.now(); !now.Before(next) {
			swept, err := t.Sweep(ctx, every, then)
			next = swept.Add(every)
			if err != nil && ctx.Err() == nil {
				logger.WarnContext(ctx, "identity check sweep failed", "cause", err.Error())
				next = now.Add(min(every, failurePause))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Sweep sweeps once unless a node has done so within the time every, or is doing so, and
// returns when the last sweep began. After a sweep it calls then. The error is the platform's or an outage.
func (t *Index) Sweep(ctx context.Context, every time.Duration, then func(context.Context)) (swept time.Time, err error) {
	lease := redisdb.Lease{Kind: "sweep", Subject: "verification", Life: sweepLife}
	held, err := t.leases.WithLease(ctx, lease, func(ctx context.Context) (err error) {
		s, err := t.spaces.Space(ctx)
		if err != nil {
			return err
		}
		last, err := t.spaces.Redis.HGet(ctx, s.State(), "swept").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return access.Outage(ctx, "find the last sweep", err)
		}
		if swept = utc(last); t.now().Before(swept.Add(every)) {
			return nil
		}
		swept = t.now()
		if err := t.sweep(ctx, s); err != nil {
			return err
		}
		p := t.spaces.Redis.Pipeline()
		p.HSet(ctx, s.State(), "swept", swept.UnixMilli())
		p.Expire(ctx, s.State(), life)
		if _, err := p.Exec(ctx); err != nil {
			return access.Outage(ctx, "finish a sweep", err)
		}
		then(ctx)
		return nil
	})
	if err == nil && !held { // another node sweeps now
		swept = t.now()
	}
	return swept, err
}

// sweep asks the platform about every transaction that may still change.
func (t *Index) sweep(ctx context.Context, s *access.Namespace) error {
	if err := t.forgetErased(ctx); err != nil {
		return err
	}
	names, err := t.spaces.Redis.ZRange(ctx, s.List(access.List{Of: everyTransaction, Bucket: Underway}), 0, -1).Result()
	if err != nil {
		return access.Outage(ctx, "list active transactions", err)
	}
	for len(names) > 0 {
		some := names[:min(len(names), sweptTogether)]
		names = names[len(some):]
		records, err := t.records(ctx, s, some)
		if err == nil {
			err = t.refreshAll(ctx, records)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// renew reads a transaction of the index from the platform again.
func (t *Index) renew(ctx context.Context, id string) error {
	body, err := t.platform.Transaction(ctx, id)
	if fault.Is(err, fault.RequestNotFound) {
		return t.Missing(ctx, id)
	}
	if err != nil {
		return err
	}
	said, err := t.readTransaction(body, id)
	if err != nil {
		return err
	}
	return t.write(ctx, said, true)
}

// refreshAll refreshes the records that may still change, a few at a time. An answer
// that cannot be read leaves its record as it is; an outage ends the work.
func (t *Index) refreshAll(ctx context.Context, records []*record) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	turns := make(chan struct{}, sweptAtOnce)
	for _, one := range records {
		if !verification.Status(one.Status).Active() {
			continue
		}
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			if ctx.Err() != nil {
				return
			}
			if err := t.renew(ctx, one.ID); err != nil && !fault.Is(err, fault.PlatformFailed) {
				stop(err)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
