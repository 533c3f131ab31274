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
)

const (
	// poll is how often a node looks whether there is something to do.
	poll = time.Second
	// failurePause is how long a node leaves what failed alone.
	failurePause = 5 * time.Second
	// wholeWalk is how often the whole listing is walked.
	wholeWalk = 24 * time.Hour
	// overlap is how much of what a sweep saw the next one sees again: the platform
	// may show an update later than it dates it.
	overlap = time.Minute
	// workLife is how long others wait for a node that died while it swept or worked
	// callbacks off.
	workLife = 10 * time.Second
)

// errOtherIndex ends work on an index that Redis has no more.
var errOtherIndex = errors.New("access: Redis has another index now")

// Run keeps the index in step with the platform until ctx ends: it works callbacks off
// and sweeps, when that is due and no other node does it. Neither waits for the other: a
// sweep may take minutes. What fails is logged and done again.
func (x *Index) Run(ctx context.Context) {
	var both sync.WaitGroup
	for i, work := range []func(context.Context) error{x.workCallbacks, x.workSweep} {
		both.Go(func() { x.repeat(ctx, work, x.wake[i]) })
	}
	both.Wait()
}

// repeat does work whenever wake or the clock says so.
func (x *Index) repeat(ctx context.Context, work func(context.Context) error, wake <-chan struct{}) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		pause := time.Duration(0)
		if err := work(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, errOtherIndex) {
			x.logger.WarnContext(ctx, "the index of packages is behind", "cause", err.Error())
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
func (x *Index) workCallbacks(ctx context.Context) error {
	if _, s, err := x.readState(ctx); err != nil || s.waiting == 0 {
		return err
	}
	return x.alone(ctx, "callbacks", x.workOff)
}

// workSweep sweeps where that is due.
func (x *Index) workSweep(ctx context.Context) error {
	if _, s, err := x.readState(ctx); err != nil || !s.due(x.now(), x.sweep) {
		return err
	}
	return x.alone(ctx, "sweep", x.sweepOnce)
}

// alone does work on one node at a time.
func (x *Index) alone(ctx context.Context, kind string, work func(context.Context) error) error {
	if _, err := x.leases.Hold(ctx, redisdb.Lease{Kind: kind, Subject: "signing", Life: workLife}, work); err != nil {
		return fmt.Errorf("access: %s: %w", kind, err)
	}
	return nil
}

// state is how far the index is.
type state struct {
	counter   uint64
	size      int64
	waiting   int64     // callbacks
	built     time.Time // when the last whole walk began; zero: the index is not whole
	swept     time.Time // when the last sweep began
	watermark time.Time // the last update that a sweep saw
	excess    int64     // packages that the whole walk found and the listing does not count
}

// due reports whether a sweep is.
func (s state) due(now time.Time, every time.Duration) bool {
	return s.whole(now) || !now.Before(s.swept.Add(every))
}

// whole reports whether the next sweep is one of everything.
func (s state) whole(now time.Time) bool {
	return s.built.IsZero() || !now.Before(s.built.Add(wholeWalk))
}

// readState is the state of the index that Redis has now.
func (x *Index) readState(ctx context.Context) (*access.Space, state, error) {
	for {
		s, err := x.spaces.Space(ctx)
		if err != nil {
			return nil, state{}, err
		}
		p := x.spaces.Redis.Pipeline()
		slot, waiting := p.Get(ctx, s.Slot), p.XLen(ctx, events(s))
		fields := p.HMGet(ctx, s.State(), "counter", "size", "built", "swept", "watermark", "excess")
		if _, err := p.Exec(ctx); err != nil && slot.Err() == nil {
			return nil, state{}, access.Outage(ctx, "read the state", err)
		}
		if slot.Val() == s.Sealed {
			n := numbers(fields.Val())
			return s, state{
				counter: uint64(n[0]), size: n[1], waiting: waiting.Val(),
				built: moments(n[2]), swept: moments(n[3]), watermark: moments(n[4]), excess: n[5],
			}, nil
		}
		x.spaces.Lost(s)
	}
}

// numbers are those of a reply; an absent one is 0.
func numbers(reply []any) (n [6]int64) {
	for i, one := range reply {
		text, _ := one.(string)
		n[i], _ = strconv.ParseInt(text, 10, 64)
	}
	return n
}

// moments is a time of the state; 0 is none.
func moments(milliseconds int64) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds)
}

// sweepOnce brings the index in step with the platform: with everything where that is
// due, else with what was updated since the last sweep.
func (x *Index) sweepOnce(ctx context.Context) error {
	s, before, err := x.readState(ctx)
	now := x.now()
	if err != nil || !before.due(now, x.sweep) { // another node was faster
		return err
	}
	w := &walk{index: x, space: s, latest: before.watermark}
	whole := before.whole(now)
	if !whole {
		if whole, err = w.updated(ctx, before); err != nil {
			return err
		}
	}
	if whole {
		if before.excess, err = w.everything(ctx, before.counter); err != nil {
			return err
		}
		before.built = now
	}
	before.swept, before.watermark = now, w.latest
	if before.watermark.After(now) {
		before.watermark = now
	}
	return x.finish(ctx, s, before)
}

func since(watermark time.Time) time.Time {
	if watermark.IsZero() {
		return watermark
	}
	return watermark.Add(-overlap)
}

// finish writes how far a sweep got. A whole walk renews the life of the index.
func (x *Index) finish(ctx context.Context, s *access.Space, after state) error {
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

// wakeUp has Run look at once what there is to do.
func (x *Index) wakeUp() {
	for _, wake := range x.wake {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}
