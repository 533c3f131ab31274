package index

import (
	"cmp"
	"context"
	"strconv"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/redisdb"
)

// ReadAhead lets what Grant reads of a package go along with the session of ctx's request,
// in one round trip. What the person may do is judged once it is known who asks.
func (x *Index) ReadAhead(ctx context.Context, id string) {
	if s, known := x.spaces.Known(); known {
		slot, value := recordCommands(ctx, s, recordName(s, id))
		redisdb.ReadAhead(ctx, recordOf{s, id}, slot, value)
	}
}

// recordOf is the record of a package in a space.
type recordOf struct {
	space *access.Space
	id    string
}

// snapshot is the index's data on one package and one person, and the counter as it was
// before the platform is asked.
type snapshot struct {
	space   *access.Space
	name    string
	counter uint64
	record  *record // nil if the index has none
	missed  bool    // a 404 of the person for the package is remembered
}

// policy returns the record's policy, nil without a record.
func (v snapshot) policy() *policy {
	if v.record == nil {
		return nil
	}
	return &v.record.policy
}

// peek returns a package's record from the index, in one round trip, or as it was read ahead;
// nil if it has none.
func (x *Index) peek(ctx context.Context, id string) (r *record, err error) {
	err = x.spaces.InSpace(ctx, func(s *access.Space) (current string, err error) {
		var name string
		var slot, value *redis.StringCmd
		if sent := redisdb.SentAhead(ctx, recordOf{s, id}); sent != nil {
			slot, value = sent[0], sent[1]
			name, _ = value.Args()[2].(string)
		} else {
			name = recordName(s, id)
			slot, value = recordCommands(ctx, s, name)
			_, _ = x.spaces.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each reply has its own error
				_ = p.Process(ctx, slot)
				_ = p.Process(ctx, value)
				return nil
			})
		}
		r = x.openRemembered(s, name, value.Val())
		return slot.Val(), access.ReadFailure(ctx, "read a package", slot, value)
	})
	return r, err
}

// OwnerOf returns the owner of a package by the index: the user who made it through
// Countersign, else its sender's e-mail address; "" if it knows neither.
func (x *Index) OwnerOf(ctx context.Context, id string) (string, error) {
	r, err := x.peek(ctx, id)
	if err != nil || r == nil {
		return "", err
	}
	return r.owner(), nil
}

// read returns the snapshot of a package for person, in one round trip.
func (x *Index) read(ctx context.Context, id string, person access.Person) (v snapshot, err error) {
	err = x.spaces.InSpace(ctx, func(s *access.Space) (current string, err error) {
		v = snapshot{space: s, name: recordName(s, id)}
		p := x.spaces.Redis.Pipeline()
		slot, counter := p.Get(ctx, s.Slot), p.HGet(ctx, s.State(), "counter")
		value, missed := p.HGet(ctx, s.Records(), v.name), p.ZScore(ctx, s.Missed(v.name), s.Person(person))
		_, _ = p.Exec(ctx)                                      // each reply has its own error
		v.counter, _ = strconv.ParseUint(counter.Val(), 10, 64) // absent before the first write
		v.record = x.openRemembered(s, v.name, value.Val())
		v.missed = missed.Err() == nil && missed.Val() > float64(x.now().UnixMilli())
		return slot.Val(), access.ReadFailure(ctx, "read a package", slot, counter, value, missed)
	})
	return v, err
}

// recordCommands read the index's slot and the record of that name.
func recordCommands(ctx context.Context, s *access.Space, name string) (slot, value *redis.StringCmd) {
	return redis.NewStringCmd(ctx, "get", s.Slot), redis.NewStringCmd(ctx, "hget", s.Records(), name)
}

// Refresh is Changed for a package that the platform may still have.
func (x *Index) Refresh(ctx context.Context, id string) error {
	_, err := x.Changed(ctx, id, false)
	return err
}

// Changed reads a package and its documents' visibility from the platform and writes them
// to the index, or removes the package if it is gone or the platform has none. It returns
// whose it was, as OwnerOf does, or whose it is if the index had none. It is called after each
// of our own writes and for a callback, and drops every remembered 404 of the package. It
// completes even when ctx is cancelled. The error is the platform's or an outage; the
// next sweep does what was left undone.
func (x *Index) Changed(ctx context.Context, id string, gone bool) (owner string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	c, err := x.refresh(ctx, id, afterChange(gone))
	return cmp.Or(c.before.owner(), c.full.owner()), err
}

// refreshOptions say how refresh treats one package.
type refreshOptions struct {
	// gone says that the platform has it no longer, and is not asked.
	gone bool
	// person is the person for whom it is refreshed, if any.
	person access.Person
	// miss returns the person for whom to remember a 404, given the policy, nil if there
	// is no package; or one of keepMisses and forgetMisses.
	miss func(*access.Space, *policy) string
	// visibility asks the platform for the visibility of documents even if it is known.
	visibility bool
	// tombstone leaves a tombstone even for a package that the index never had.
	tombstone bool
}

// afterChange are the options for a package that was changed, or is gone.
func afterChange(gone bool) refreshOptions {
	return refreshOptions{gone: gone, miss: forgetMisses, visibility: true, tombstone: true}
}

// forgetMisses drops every remembered 404 of the package, so that everyone asks again.
func forgetMisses(*access.Space, *policy) string { return allMisses }

// keepMisses leaves the remembered 404s of the package as they are.
func keepMisses(*access.Space, *policy) string { return "" }

// refresh reads a package from the platform and writes the answer, again and again until
// nobody else wrote meanwhile. It returns the change that it made; after an error, the one
// that it could not make.
func (x *Index) refresh(ctx context.Context, id string, how refreshOptions) (c change, err error) {
	for done := false; !done && err == nil; {
		var v snapshot
		if v, err = x.read(ctx, id, how.person); err != nil {
			break
		}
		if c, err = x.ask(ctx, id, v, how); err == nil {
			done, err = x.write(ctx, v.space, c)
		}
	}
	return c, err
}
