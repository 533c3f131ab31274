package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

const (
	// maxWaiting limits the callbacks in the stream; what is dropped beyond it, a sweep
	// finds.
	maxWaiting = 100_000
	// callbackLife limits how long a failing callback is retried: a full sweep has come
	// by then.
	callbackLife = 2 * fullSweepEvery
	// unreadLife limits how long a callback is retried whose package cannot be read: the
	// platform may have failed for a moment only.
	unreadLife = 10 * time.Second
	// maxID limits a package's id, in bytes (docs/platform.md S13).
	maxID = 255
)

// callbackScript adds a callback to the stream. It returns nil if Redis now holds another
// index.
//
// KEYS: slot, events. ARGV: the index's key, how many callbacks are kept, the sealed id.
var callbackScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'id', ARGV[3])
return 1`)

// Callback stores an event of the platform (docs/platform.md S13) until Run has processed
// it. Run reads the package that it names from the platform again; nothing else in the
// event is believed. An event without a package id is ignored. The error is
// request.malformed if event is not JSON, or an outage.
func (x *Index) Callback(ctx context.Context, event []byte) error {
	if !jsontext.Value(event).IsValid(payload.Tolerant()) {
		return fault.Wrap(fault.RequestMalformed, errors.New("index: the callback is not JSON"))
	}
	id := signing.EventPackage(event)
	if id == "" {
		return nil
	}
	return x.store(ctx, id)
}

// store puts a callback of a package into the stream.
func (x *Index) store(ctx context.Context, id string) error {
	for {
		s, err := x.spaces.Space(ctx)
		if err != nil {
			return err
		}
		sealed := s.Sealer.Seal([]byte(id), []byte("event"))
		err = callbackScript.Run(ctx, x.spaces.Redis, []string{s.Slot, events(s)}, s.Sealed, maxWaiting, sealed).Err()
		if errors.Is(err, redis.Nil) {
			x.spaces.Invalidate(s)
			continue
		}
		if err != nil {
			return access.Outage(ctx, "keep a callback", err)
		}
		x.wakeSoon()
		return nil
	}
}

// processCallbacks processes all the callbacks in the stream. A failing one stays in the
// stream while the others go on.
func (x *Index) processCallbacks(ctx context.Context, f Follower) error {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return err
	}
	var failed error
	for after := "-"; ; {
		entries, err := x.spaces.Redis.XRangeN(ctx, events(s), after, "+", chunk).Result()
		if err != nil {
			return access.Outage(ctx, "read callbacks", err)
		}
		if len(entries) == 0 {
			return failed
		}
		if err := x.processChunk(ctx, f, s, entries); err != nil {
			failed = err
		}
		after = nextID(entries[len(entries)-1].ID)
	}
}

// nextID returns the stream id that follows id.
func nextID(id string) string {
	var at, number uint64
	_, _ = fmt.Sscanf(id, "%d-%d", &at, &number) // Redis made it, so it parses
	return fmt.Sprintf("%d-%d", at, number+1)
}

// processChunk processes some callbacks, refreshing each package once, and deletes from
// the stream those that are done.
func (x *Index) processChunk(ctx context.Context, f Follower, s *access.Namespace, entries []redis.XMessage) error {
	entriesOf, called := map[string][]redis.XMessage{}, map[string]bool{}
	var done []string
	for _, entry := range entries {
		sealed, _ := entry.Values["id"].(string)
		id, ok := s.Sealer.Open([]byte(sealed), []byte("event"))
		if !ok {
			done = append(done, entry.ID) // not sealed by this index
			continue
		}
		entriesOf[string(id)] = append(entriesOf[string(id)], entry)
		called[string(id)] = called[string(id)] || entry.Values["written"] == nil
	}
	finished := make(chan string, len(entries))
	var g errgroup.Group
	g.SetLimit(parallel)
	for id, of := range entriesOf {
		g.Go(func() error {
			life := callbackLife
			var err error
			if called[id] || !x.isRead(ctx, id) {
				err = x.follow(ctx, f, id)
			}
			isUnread := upstream.IsUnreadable(err)
			if isUnread {
				x.unread.Note(ctx, id, "", err)
				life = unreadLife
			}
			for _, entry := range of {
				if err == nil || refused(err) || x.now().Sub(addedAt(entry.ID)) > life {
					finished <- entry.ID
				}
			}
			if isUnread { // the other callbacks go on
				return nil
			}
			return err
		})
	}
	failed := g.Wait()
	close(finished)
	for id := range finished {
		done = append(done, id)
	}
	if len(done) == 0 {
		return failed
	}
	if err := x.spaces.Redis.XDel(ctx, events(s), done...).Err(); err != nil {
		return access.Outage(ctx, "take callbacks off", err)
	}
	return failed
}

// addedAt returns the time at which a stream entry was added, which its id holds.
func addedAt(id string) time.Time {
	var at int64
	_, _ = fmt.Sscanf(id, "%d-", &at) // Redis made it, so it parses
	return time.UnixMilli(at)
}
