package audit

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"
)

const (
	// maxWaiting limits the events that wait for Redis, maxBatch those sent there at
	// once.
	maxWaiting, maxBatch = 4096, 100
	// batchPause is the wait for further events after a batch, so that a busy node sends
	// Redis many at once.
	batchPause = 50 * time.Millisecond
	// maxStream is the approximate limit on the events in a stream.
	maxStream = 1_000_000
	// streamMember is the field of a stream entry that holds the event as JSON.
	streamMember = "event"
)

// Run writes events to Redis until ctx ends, and then those still waiting.
func (t *Trail) Run(ctx context.Context) {
	calls := context.WithoutCancel(ctx) // what was begun is brought
	for {
		select {
		case e := <-t.waiting:
			events := append([]Event{*e}, t.queued()...)
			t.flush(calls, events)
			if len(events) < maxBatch {
				pause(ctx)
			}
		case <-ctx.Done():
			for events := t.queued(); len(events) > 0; events = t.queued() {
				t.flush(calls, events)
			}
			return
		}
	}
}

// pause waits for batchPause, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-time.After(batchPause):
	case <-ctx.Done():
	}
}

// queued takes the events that wait, fewer than maxBatch.
func (t *Trail) queued() (all []Event) {
	for len(all) < maxBatch-1 {
		select {
		case e := <-t.waiting:
			all = append(all, *e)
		default:
			return all
		}
	}
	return all
}

// flush writes events to Redis in one round trip. If a person's list is lost, the log
// says so once; if stream entries are lost, the log has each event.
func (t *Trail) flush(ctx context.Context, events []Event) {
	p := t.Redis.Pipeline()
	added, seen := make([]*redis.StringCmd, len(events)), make([]*deviceLookup, len(events))
	for i, e := range events {
		if t.Stream != "" {
			added[i] = t.add(ctx, p, e)
		}
		if e.listedFor() != "" {
			t.recent.add(ctx, p, e)
		}
		if t.Notices != nil && e.Kind == SignedIn {
			s := t.recent.addDevice(ctx, p, e)
			seen[i] = &s
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		t.Logger.WarnContext(ctx, "recent events not stored", "cause", err.Error(), "events", len(events))
	}
	for i, reply := range added {
		if reply != nil && reply.Err() != nil {
			t.lost(ctx, events[i], reply.Err())
		}
	}
	for i, e := range events {
		if e.Kind != SignedIn || seen[i] != nil && seen[i].isNew() {
			t.Notices.notify(e)
		}
	}
}

// add adds e to the stream.
func (t *Trail) add(ctx context.Context, to redis.Cmdable, e Event) *redis.StringCmd {
	line, _ := json.Marshal(e) // plain strings always encode
	return to.XAdd(ctx, &redis.XAddArgs{Stream: t.Stream, MaxLen: maxStream, Approx: true, Values: []any{streamMember, line}})
}
