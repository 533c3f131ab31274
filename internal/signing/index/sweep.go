package index

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"countersign/internal/access"
	"countersign/internal/redisdb"
	"countersign/internal/signing"
)

const (
	// poll is the interval at which a node looks for work.
	poll = time.Second
	// failurePause is the pause of a node after a failure.
	failurePause = 5 * time.Second
	// fullSweepEvery is the interval between full sweeps.
	fullSweepEvery = 24 * time.Hour
	// overlap is the time that a sweep goes back before the last one's watermark: the platform
	// may show an update later than it dates it.
	overlap = time.Minute
	// workLife limits how long others wait for a node that died while it swept or processed
	// callbacks.
	workLife = 10 * time.Second
)

// errOtherIndex ends work on an index that is no longer the one in Redis.
var errOtherIndex = errors.New("index: Redis now holds another index")

// Follower learns what Run finds at the platform.
type Follower interface {
	// Read is called with each package that Run reads.
	Read(ctx context.Context, p signing.Package)
	// Ended is called with each end of a package, by one node, if Options.Ends. Where it fails
	// it is called again for a while, less and less often; not after request.not-found once the
	// index has lost the package too.
	Ended(ctx context.Context, e End) error
	// Swept is called after each sweep, by the node that made it.
	Swept(ctx context.Context)
}

// Run keeps the index in step with the platform until ctx ends: it works callbacks off,
// sweeps and tells f of ends, when that is due and no other node does it. None waits for
// another: a sweep may take minutes. What fails is logged and done again.
func (x *Index) Run(ctx context.Context, f Follower) {
	var all sync.WaitGroup
	repeat := func(work func(context.Context, Follower) error, wake <-chan struct{}) {
		all.Go(func() { x.repeat(ctx, func(ctx context.Context) error { return work(ctx, f) }, wake) })
	}
	repeat(x.workCallbacks, x.wake[0])
	repeat(x.workSweep, x.wake[1])
	if x.ends {
		repeat(x.workEnds, nil)
	}
	all.Wait()
}

// repeat does work whenever wake or the clock says so.
func (x *Index) repeat(ctx context.Context, work func(context.Context) error, wake <-chan struct{}) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		pause := time.Duration(0)
		if err := work(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, errOtherIndex) {
			x.logger.WarnContext(ctx, "package sweep failed", "cause", err.Error())
			pause = failurePause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-ticker.C:
		}
	}
}

// workCallbacks works off the callbacks that wait.
func (x *Index) workCallbacks(ctx context.Context, f Follower) error {
	if err := x.storeLate(ctx); err != nil {
		return err
	}
	if _, s, err := x.readState(ctx); err != nil || s.waiting == 0 {
		return err
	}
	return x.withLease(ctx, "callbacks", func(ctx context.Context) error { return x.processCallbacks(ctx, f) })
}

// workSweep sweeps where that is due.
func (x *Index) workSweep(ctx context.Context, f Follower) error {
	if _, s, err := x.readState(ctx); err != nil || !s.sweepDue(x.now(), x.sweep) {
		return err
	}
	return x.withLease(ctx, "sweep", func(ctx context.Context) error { return x.sweepOnce(ctx, f) })
}

// withLease does work unless another node is doing it.
func (x *Index) withLease(ctx context.Context, kind string, work func(context.Context) error) error {
	if _, err := x.leases.WithLease(ctx, redisdb.Lease{Kind: kind, Subject: "signing", Life: workLife}, work); err != nil {
		return fmt.Errorf("index: %s: %w", kind, err)
	}
	return nil
}

// state is the progress of the index.
type state struct {
	counter   uint64
	size      int64
	waiting   int64     // callbacks
	built     time.Time // when the last full sweep began; zero before the first
	swept     time.Time // when the last sweep began
	watermark time.Time // the latest update that a sweep saw
	excess    int64     // packages that the last full sweep found and the listings do not count
}

// sweepDue reports whether a sweep is due.
func (s state) sweepDue(now time.Time, every time.Duration) bool {
	return s.fullSweepDue(now) || !now.Before(s.swept.Add(every))
}

// fullSweepDue reports whether the next sweep is a full one.
func (s state) fullSweepDue(now time.Time) bool {
	return s.built.IsZero() || !now.Before(s.built.Add(fullSweepEvery))
}

// readState returns the state of the index that Redis holds now.
func (x *Index) readState(ctx context.Context) (space *access.Namespace, now state, err error) {
	err = x.spaces.WithNamespace(ctx, func(s *access.Namespace) (current string, err error) {
		p := x.spaces.Redis.Pipeline()
		slot, waiting := p.Get(ctx, s.Slot), p.XLen(ctx, events(s))
		fields := p.HMGet(ctx, s.State(), "counter", "size", "built", "swept", "watermark", "excess")
		if _, err := p.Exec(ctx); err != nil && slot.Err() == nil {
			return "", access.Outage(ctx, "read the state", err)
		}
		n := parseNumbers(fields.Val())
		space, now = s, state{
			counter: uint64(n[0]), size: n[1], waiting: waiting.Val(),
			built: millisTime(n[2]), swept: millisTime(n[3]), watermark: millisTime(n[4]), excess: n[5],
		}
		return slot.Val(), nil
	})
	return space, now, err
}

// parseNumbers returns the six integers of an HMGET reply; a missing field is 0.
func parseNumbers(reply []any) (n [6]int64) {
	for i, one := range reply {
		text, _ := one.(string)
		n[i], _ = strconv.ParseInt(text, 10, 64)
	}
	return n
}

// millisTime returns the time at Unix milliseconds; the zero time for 0.
func millisTime(milliseconds int64) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds)
}

// sweepOnce brings the index in step with the platform: with everything if a full sweep
// is due or packages have gone from the platform, else with what was updated since the
// last sweep.
func (x *Index) sweepOnce(ctx context.Context, f Follower) error {
	s, before, err := x.readState(ctx)
	now := x.now()
	if err != nil || !before.sweepDue(now, x.sweep) { // another node was faster
		return err
	}
	w := &sweep{index: x, follower: f, space: s, latest: before.watermark}
	full := before.fullSweepDue(now)
	if !full {
		if full, err = w.sweepUpdates(ctx, before); err != nil {
			return err
		}
	}
	if full {
		if before.excess, err = w.fullSweep(ctx, before.counter); err != nil {
			return err
		}
		before.built = now
	}
	before.swept, before.watermark = now, w.latest
	if before.watermark.After(now) {
		before.watermark = now
	}
	if err = x.finish(ctx, s, before); err == nil {
		f.Swept(ctx)
	}
	return err
}

func since(watermark time.Time) time.Time {
	if watermark.IsZero() {
		return watermark
	}
	return watermark.Add(-overlap)
}

// finish writes the state after a sweep. A full sweep renews the life of the index.
func (x *Index) finish(ctx context.Context, s *access.Namespace, after state) error {
	p := x.spaces.Redis.Pipeline()
	p.HSet(ctx, s.State(), "built", after.built.UnixMilli(), "swept", after.swept.UnixMilli(), "excess", after.excess)
	if !after.watermark.IsZero() {
		p.HSet(ctx, s.State(), "watermark", after.watermark.UnixMilli())
	}
	if after.built.Equal(after.swept) {
		for _, key := range append(x.spaces.Slots(), s.State(), s.Records(), versions(s)) {
			p.Expire(ctx, key, life)
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "finish a sweep", err)
	}
	return nil
}

// wakeUp makes Run look at once for work.
func (x *Index) wakeUp() {
	for _, wake := range x.wake {
		signal(wake)
	}
}

// wakeSoon makes Run look for callbacks and changes of ours in a moment.
func (x *Index) wakeSoon() { time.AfterFunc(followAfter, func() { signal(x.wake[0]) }) }

func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
