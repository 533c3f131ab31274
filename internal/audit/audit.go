// Package audit writes the audit trail and sends e-mail notices.
//
// An event is written to a file or a stream of lines before its request is answered. If
// writing fails, the request is answered all the same, because the action has happened:
// the event goes to the program's log as an error and counts as lost. The same holds for
// a Redis stream, except that it is written after the answer, like each person's last
// events. What an operator did is written to both before the answer: the operator, led back
// to the person, sees it.
//
// The package does not know what the events mean.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"

	"countersign/internal/seal"
)

const (
	// deviceBytes and subjectBytes limit the length of an event's User-Agent and id.
	deviceBytes, subjectBytes = 120, 256
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

// Options configure a Trail.
type Options struct {
	// Log receives the events, one JSON object a line, in one write each, also at the same
	// time; nil writes none.
	Log io.Writer
	// Stream is the Redis stream that events are added to; empty adds them to none.
	Stream string
	Redis  redis.Cmdable
	// Keys are the session keys: they seal the last events of each person.
	Keys seal.Keys
	// Notices inform people by e-mail; nil informs nobody.
	Notices *Notices
	// Observe is called with every event, Lost for every one that could not be written.
	Observe func(Event)
	Lost    func()
	Logger  *slog.Logger
	Now     func() time.Time
}

// Trail records the events of a node. It is safe for concurrent use.
type Trail struct {
	Options
	recent  recent
	waiting chan *Event // has room for many; it is mostly empty
}

// New makes a Trail. Nothing goes to Redis before Run.
func New(o Options) *Trail {
	return &Trail{Options: o, recent: recent{o.Redis, o.Keys}, waiting: make(chan *Event, maxWaiting)}
}

// Record writes e with the current time.
func (t *Trail) Record(ctx context.Context, e Event) {
	e.At = t.Now().UTC()
	e.Device, e.Subject = truncate(e.Device, deviceBytes), truncate(e.Subject, subjectBytes)
	t.Observe(e)
	if err := t.write(e); err != nil {
		t.lost(ctx, e, err)
	}
	switch {
	case t.Stream == "" && e.listedFor() == "":
		return
	case e.Kind.helps():
		t.flush(context.WithoutCancel(ctx), append(t.queued(), e))
		return
	}
	select {
	case t.waiting <- &e:
	default:
		if t.Stream != "" {
			t.lost(ctx, e, errQueueFull)
		}
	}
}

// RecordFirst is Record for an event that must be written before anything follows from it:
// to the stream, too, it goes at once. The error says that it was not written.
func (t *Trail) RecordFirst(ctx context.Context, e Event) error {
	e.At = t.Now().UTC()
	e.Device, e.Subject = truncate(e.Device, deviceBytes), truncate(e.Subject, subjectBytes)
	err := t.write(e)
	if err == nil && t.Stream != "" {
		err = t.add(ctx, t.Redis, e).Err()
	}
	if err != nil {
		t.lost(ctx, e, err)
		return err
	}
	t.Observe(e)
	return nil
}

// errQueueFull is the error for an event that is not even tried.
var errQueueFull = errors.New("audit: Redis is too far behind")

// write writes e to Log.
func (t *Trail) write(e Event) error {
	if t.Log == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("audit: encode: %w", err)
	}
	n, err := t.Log.Write(append(line, '\n'))
	if err == nil && n <= len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("audit: write: %w", err)
	}
	return nil
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
	for i, e := range events {
		if e.Kind != SignedIn || seen[i] != nil && seen[i].isNew() {
			t.Notices.notify(ctx, e)
		}
		if added[i] != nil && added[i].Err() != nil {
			t.lost(ctx, e, added[i].Err())
		}
	}
}

// add adds e to the stream.
func (t *Trail) add(ctx context.Context, to redis.Cmdable, e Event) *redis.StringCmd {
	line, _ := json.Marshal(e) // plain strings always encode
	return to.XAdd(ctx, &redis.XAddArgs{Stream: t.Stream, MaxLen: maxStream, Approx: true, Values: []any{streamMember, line}})
}

// lost counts e as lost, and has the log tell it.
func (t *Trail) lost(ctx context.Context, e Event, err error) {
	t.Lost()
	t.Logger.LogAttrs(ctx, slog.LevelError, "audit event not written", slog.String("cause", err.Error()), slog.Any("event", e))
}

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

// Recent returns the last events of person's account, the newest first, 20 at most. The
// error is an outage.
func (t *Trail) Recent(ctx context.Context, person string) ([]Event, error) {
	return t.recent.of(ctx, person, shownToThemselves)
}

// Last is Recent for operators: 50 events at most.
func (t *Trail) Last(ctx context.Context, person string) ([]Event, error) {
	return t.recent.of(ctx, person, keptDone)
}

// Close closes Log if it can be closed.
func (t *Trail) Close() error {
	if c, ok := t.Log.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
