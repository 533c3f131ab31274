// Package audit keeps what of consequence was done: who did it, in which session, from
// where, in which request and on whose behalf.
//
// An event is written to a file or a stream of lines before its request is answered. Where
// it cannot be written, the request is answered all the same, since what was done is done:
// then the event stands in the program's log, as an error, and counts as lost. The same
// holds for a stream of Redis, but that it is written behind the answer, as are the last
// events of each person.
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

// deviceBytes is how much of a User-Agent an event has, subjectBytes how much of an id.
const (
	deviceBytes  = 120
	subjectBytes = 256
)

// Options are what a Trail is made of.
type Options struct {
	// Log is where events are written, one JSON object a line each; nil writes none.
	Log io.Writer
	// Stream is the stream of Redis that events are added to; empty is none.
	Stream string
	Redis  redis.UniversalClient
	// Keys are the session keys, 32 bytes each: they seal the last events of each person.
	Keys [][]byte
	// Notices tell people by e-mail; nil tells nobody.
	Notices *Notices
	// Observe is told of every event, Lost of every one that could not be written.
	Observe func(Event)
	Lost    func()
	Logger  *slog.Logger
	Now     func() time.Time
}

// Trail takes the events of a node. It is safe for concurrent use.
type Trail struct {
	Options
	recent  recent
	waiting chan *Event // there is room for many, and mostly none waits
}

// New makes a Trail; the error is about the keys. Nothing goes to Redis before Run.
func New(o Options) (*Trail, error) {
	keys, err := seal.New(o.Keys...)
	if err != nil {
		return nil, err
	}
	return &Trail{Options: o, recent: recent{o.Redis, keys}, waiting: make(chan *Event, maxWaiting)}, nil
}

// Record writes e, with the time of now.
func (t *Trail) Record(ctx context.Context, e Event) {
	e.At = t.Now().UTC()
	e.Device, e.Subject = cut(e.Device, deviceBytes), cut(e.Subject, subjectBytes)
	t.Observe(e)
	if err := t.write(e); err != nil {
		t.lost(ctx, e, err)
	}
	if t.Stream == "" && !e.personal() {
		return
	}
	select {
	case t.waiting <- &e:
	default:
		if t.Stream != "" {
			t.lost(ctx, e, errBehind)
		}
	}
}

// errBehind is why an event is not even tried.
var errBehind = errors.New("audit: Redis is too far behind")

func (t *Trail) lost(ctx context.Context, e Event, err error) {
	t.Lost()
	t.Logger.LogAttrs(ctx, slog.LevelError, "audit event not written", slog.String("cause", err.Error()), slog.Any("event", e))
}

// Recent is the last events of person's account, the newest first, 20 at most. The error is
// an outage.
func (t *Trail) Recent(ctx context.Context, person string) ([]Event, error) {
	return t.recent.of(ctx, person)
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

// Close ends what Log needs.
func (t *Trail) Close() error {
	if c, ok := t.Log.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// LogValue is the event as a group of its members.
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

// cut is text in valid UTF-8 and at most n bytes: the headers of a client may be anything.
func cut(text string, n int) string {
	return strings.ToValidUTF8(text[:min(n, len(text))], "")
}
