package index

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
)

// End is the end of a package: it was completed, declined, cancelled, or it expired.
type End struct {
	// Package is the package's id, Status the status in which it ended.
	Package, Status string
	// Owner is the user who made the package through Countersign; "" if that is unknown.
	Owner string
}

// tellAfter are the pauses between the attempts to tell of an end.
var tellAfter = []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

// endPurpose keeps what is sealed as an end from being read as anything else.
var endPurpose = []byte("end")

// openEnd reads an end; false for what this index has not sealed.
func openEnd(s *access.Namespace, sealed any) (e End, ok bool) {
	text, _ := sealed.(string)
	plain, ok := s.Sealer.Open([]byte(text), endPurpose)
	if parts := strings.SplitN(string(plain), "\x00", 3); ok && len(parts) == 3 {
		return End{Status: parts[0], Owner: parts[1], Package: parts[2]}, true
	}
	return e, false
}

// workEnds tells of the ends that wait.
func (x *Index) workEnds(ctx context.Context, f Follower) error {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return err
	}
	waiting, err := x.spaces.Redis.XLen(ctx, ends(s)).Result()
	if err != nil {
		return access.Outage(ctx, "count ends", err)
	}
	if waiting == 0 {
		return nil
	}
	return x.withLease(ctx, "ends", func(ctx context.Context) error { return x.tellEnds(ctx, f, s) })
}

// tellEnds tells of each end that is due, the earliest first.
func (x *Index) tellEnds(ctx context.Context, f Follower, s *access.Namespace) error {
	for after := "-"; ctx.Err() == nil; {
		entries, err := x.spaces.Redis.XRangeN(ctx, ends(s), after, "+", chunk).Result()
		if err != nil {
			return access.Outage(ctx, "read ends", err)
		}
		if len(entries) == 0 {
			return nil
		}
		for _, entry := range entries {
			if ctx.Err() != nil {
				break
			}
			if err := x.tellEnd(ctx, f, s, entry); err != nil {
				return err
			}
		}
		after = nextID(entries[len(entries)-1].ID)
	}
	return nil
}

// tellEnd tells of one end, if it is due, and takes it off the stream. One that could not be
// told goes to the stream's end for the next attempt, until there have been too many. An
// attempt that has begun is carried through: the letter may be on its way.
func (x *Index) tellEnd(ctx context.Context, f Follower, s *access.Namespace, entry redis.XMessage) error {
	due, attempts := endNumber(entry, "due"), endNumber(entry, "attempts")
	if x.now().UnixMilli() < due {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	e, ok := openEnd(s, entry.Values["end"])
	var failed error
	if ok {
		failed = f.Ended(ctx, e)
	}
	if fault.Is(failed, fault.RequestNotFound) { // which counts once the index has it no longer
		r, err := x.peek(ctx, e.Package)
		if err != nil {
			return err
		}
		if r == nil {
			failed = nil
		}
	}
	p := x.spaces.Redis.TxPipeline()
	p.XDel(ctx, ends(s), entry.ID)
	if failed != nil && attempts == 0 { // hours before it is given up
		x.logger.WarnContext(ctx, "notice deferred", "package", e.Package, "cause", failed.Error())
	}
	switch {
	case failed != nil && attempts < int64(len(tellAfter)):
		next := x.now().Add(tellAfter[attempts]).UnixMilli()
		p.XAdd(ctx, &redis.XAddArgs{Stream: ends(s), Values: []any{"end", entry.Values["end"], "due", next, "attempts", attempts + 1}})
	case failed != nil:
		x.logger.WarnContext(ctx, "notice not sent", "package", e.Package, "cause", failed.Error())
	}
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "take an end off", err)
	}
	return nil
}

// endNumber returns a number of an entry; 0 if it has none.
func endNumber(entry redis.XMessage, name string) int64 {
	text, _ := entry.Values[name].(string)
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
