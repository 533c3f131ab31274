package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

const (
	// maxWaiting bounds the callbacks that wait; what is beyond, the sweep finds.
	maxWaiting = 100_000
	// callbackLife is how long a callback that cannot be worked off is tried: a whole
	// walk has come since.
	callbackLife = 2 * wholeWalk
	// unreadLife is how long that is for a package that cannot be read: the platform
	// may have failed at it for a moment.
	unreadLife = 10 * time.Second
	// maxID is the most bytes of a package's id (docs/platform.md S13).
	maxID = 255
)

// callbackScript keeps a callback, and lets whoever missed its package ask again; it
// returns nothing where Redis has another index. KEYS: slot, events, the people who
// missed it. ARGV: the index's key, how many are kept, the sealed id.
var callbackScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'id', ARGV[3])
redis.call('DEL', KEYS[3])
return 1`)

// Callback keeps an event of the platform's (docs/platform.md S13) until Run has worked it
// off, by reading the package that it names from the platform anew: nothing else of
// it is believed. An event that names no package is not kept, and no error. The error is
// request.malformed for what is no JSON, or an outage.
func (x *Index) Callback(ctx context.Context, event []byte) error {
	if !jsontext.Value(event).IsValid(lenient) {
		return fault.Wrap(fault.RequestMalformed, errors.New("access: the callback is no JSON"))
	}
	var named struct {
		PackageID string `json:"packageId"`
	}
	err := json.Unmarshal(event, &named, lenient)
	if known := err == nil && named.PackageID != "" && len(named.PackageID) <= maxID; !known {
		return nil
	}
	for {
		s, err := x.spaces.Space(ctx)
		if err != nil {
			return err
		}
		sealed := s.Sealer.Seal([]byte(named.PackageID), []byte("event"))
		keys := []string{s.Slot, events(s), s.Missed(recordName(s, named.PackageID))}
		err = callbackScript.Run(ctx, x.spaces.Redis, keys, s.Sealed, maxWaiting, sealed).Err()
		if errors.Is(err, redis.Nil) {
			x.spaces.Lost(s)
			continue
		}
		if err != nil {
			return access.Outage(ctx, "keep a callback", err)
		}
		x.wakeUp()
		return nil
	}
}

// workOff works off all the callbacks that wait. One that fails stays, and the others go
// on.
func (x *Index) workOff(ctx context.Context) error {
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
		if err := x.workPart(ctx, s, entries); err != nil {
			failed = err
		}
		after = next(entries[len(entries)-1].ID)
	}
}

// next is the first id of a stream's after id.
func next(id string) string {
	var at, number uint64
	_, _ = fmt.Sscanf(id, "%d-%d", &at, &number) // Redis made it
	return fmt.Sprintf("%d-%d", at, number+1)
}

// workPart works some callbacks off, each package once, and takes off the stream those
// that are done.
func (x *Index) workPart(ctx context.Context, s *access.Space, entries []redis.XMessage) error {
	entriesOf := map[string][]redis.XMessage{}
	var done []string
	for _, entry := range entries {
		sealed, _ := entry.Values["id"].(string)
		id, ok := s.Sealer.Open([]byte(sealed), []byte("event"))
		if !ok {
			done = append(done, entry.ID) // not ours
			continue
		}
		entriesOf[string(id)] = append(entriesOf[string(id)], entry)
	}
	finished := make(chan string, len(entries))
	var g errgroup.Group
	g.SetLimit(parallel)
	for id, of := range entriesOf {
		g.Go(func() error {
			err, life := x.refresh(ctx, id), callbackLife
			isUnread := upstream.IsUnreadable(err)
			if isUnread {
				x.note(ctx, id, "", err)
				life = unreadLife
			}
			for _, entry := range of {
				if err == nil || refused(err) || x.now().Sub(added(entry.ID)) > life {
					finished <- entry.ID
				}
			}
			if isUnread { // the others go on as if it were not there
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

// added is when the entry of a stream was added.
func added(id string) time.Time {
	var at int64
	_, _ = fmt.Sscanf(id, "%d-", &at) // Redis made it
	return time.UnixMilli(at)
}
