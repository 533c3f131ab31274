// Package audit records important actions: who did what, in which session, from where, in
// which request and on whose behalf.
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
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"

	"countersign/internal/seal"
)

// deviceBytes and subjectBytes limit the length of an event's User-Agent and id.
const (
	deviceBytes  = 120
	subjectBytes = 256
)

// Options configure a Trail.
type Options struct {
	// Log receives the events, one JSON object a line; nil writes none.
	Log io.Writer
	// Stream is the Redis stream that events are added to; empty adds them to none.
	Stream string
	Redis  redis.UniversalClient
	// Keys are the session keys, 32 bytes each: they seal the last events of each person.
	Keys [][]byte
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

// New makes a Trail; the error is about the keys. Nothing goes to Redis before Run.
func New(o Options) (*Trail, error) {
	keys, err := seal.New(o.Keys...)
	if err != nil {
		return nil, err
	}
	return &Trail{Options: o, recent: recent{o.Redis, keys}, waiting: make(chan *Event, maxWaiting)}, nil
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
	case e.Kind == OperatorEnded, e.Kind == OperatorRemoved:
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

func (t *Trail) lost(ctx context.Context, e Event, err error) {
	t.Lost()
	t.Logger.LogAttrs(ctx, slog.LevelError, "audit event not written", slog.String("cause", err.Error()), slog.Any("event", e))
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

// Close closes Log if it can be closed.
func (t *Trail) Close() error {
	if c, ok := t.Log.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// LogValue returns the event as a group of its members.
func (e Event) LogValue() slog.Value {
	line, err := json.Marshal(e)
	var members map[string]any
	if err = errors.Join(err, json.Unmarshal(line, &members)); err != nil {
		return slog.StringValue(string(e.Kind))
	}
	group := make([]slog.Attr, 0, len(members))
	for name, value := range members {
		group = append(group, slog.Any(name, value))
	}
	return slog.GroupValue(group...)
}

// truncate returns text as valid UTF-8 of at most n bytes: a client's headers may hold
// anything.
func truncate(text string, n int) string {
	return strings.ToValidUTF8(text[:min(n, len(text))], "")
}
