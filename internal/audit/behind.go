package audit

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"
)

const (
	// maxWaiting is how many events wait for Redis, maxBatch how many go there at once.
	maxWaiting, maxBatch = 4096, 100
	// batchPause is how long what comes behind a batch waits for more of its kind: a busy
	// node has Redis take many events at once.
	batchPause = 50 * time.Millisecond
	// maxStream is how many events a stream keeps, about.
	maxStream = 1_000_000
	// streamMember is the member of a stream's entry that is the event, as JSON.
	streamMember = "event"
)

// Run brings events to Redis until ctx ends, and what waits then.
func (t *Trail) Run(ctx context.Context) {
	calls := context.WithoutCancel(ctx) // what was begun is brought
	for {
		select {
		case e := <-t.waiting:
			events := t.batch(e)
			t.bring(calls, events)
			if len(events) < maxBatch {
				pause(ctx)
			}
		case <-ctx.Done():
			for len(t.waiting) > 0 {
				t.bring(calls, t.batch(<-t.waiting))
			}
			return
		}
	}
}

// pause waits for batchPause, or for the end of ctx.
func pause(ctx context.Context) {
	select {
	case <-time.After(batchPause):
	case <-ctx.Done():
	}
}

// batch is first and what waits behind it.
func (t *Trail) batch(first *Event) []Event {
	all := []Event{*first}
	for len(all) < maxBatch {
		select {
		case e := <-t.waiting:
			all = append(all, *e)
		default:
			return all
		}
	}
	return all
}

// bring brings events to Redis in one round trip. What the persons are shown may be lost
// with a word in the log, what is in the stream not without each event there.
func (t *Trail) bring(ctx context.Context, events []Event) {
	p := t.Redis.Pipeline()
	added, seen := make([]*redis.StringCmd, len(events)), make([]*sighting, len(events))
	for i, e := range events {
		if t.Stream != "" {
			line, _ := json.Marshal(e) // of plain texts, which encode
			added[i] = p.XAdd(ctx, &redis.XAddArgs{Stream: t.Stream, MaxLen: maxStream, Approx: true, Values: []any{streamMember, line}})
		}
		if e.personal() {
			t.recent.add(ctx, p, e)
		}
		if t.Notices != nil && e.Kind == SignedIn {
			s := t.recent.see(ctx, p, e)
			seen[i] = &s
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		t.Logger.WarnContext(ctx, "recent events not kept", "cause", err.Error(), "events", len(events))
	}
	for i, reply := range added {
		if reply != nil && reply.Err() != nil {
			t.lost(ctx, events[i], reply.Err())
		}
	}
	for i, e := range events {
		if e.Kind != SignedIn || seen[i] != nil && seen[i].isNew() {
			t.Notices.tell(e)
		}
	}
}
