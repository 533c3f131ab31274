package index

import (
	"cmp"
	"context"
	"strconv"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

// RecordRead is the record of a package while it is read: the commands for it, and their replies.
type RecordRead struct {
	space       *access.Namespace
	name        string
	slot, value *redis.StringCmd
}

// Read returns a RecordRead for AccessTo, whose commands go with a request's session; nil while
// this node does not know the index's space.
func (x *Index) Read(ctx context.Context, id string) *RecordRead {
	if s, known := x.spaces.Known(); known {
		return readingOf(ctx, s, id)
	}
	return nil
}

// readingOf reads the index's slot, and the record of a package in that space.
func readingOf(ctx context.Context, s *access.Namespace, id string) *RecordRead {
	name := recordName(s, id)
	return &RecordRead{s, name, redis.NewStringCmd(ctx, "get", s.Slot), redis.NewStringCmd(ctx, "hget", s.Records(), name)}
}

// Commands returns the commands of r, to be sent in one pipeline.
func (r *RecordRead) Commands() []redis.Cmder {
	if r == nil {
		return nil
	}
	return []redis.Cmder{r.slot, r.value}
}

// snapshot is the index's data on one package, and the counter as it was before the
// platform is asked.
type snapshot struct {
	space   *access.Namespace
	name    string
	counter uint64
	record  *record // nil if the index has none
}

// policy returns the record's policy, nil without a record.
func (v snapshot) policy() *policy {
	if v.record == nil {
		return nil
	}
	return &v.record.policy
}

// peek returns a package's record from the index, in one round trip; nil if it has none.
func (x *Index) peek(ctx context.Context, id string) (*record, error) { return x.judge(ctx, nil, id) }

// judge is peek with what was read already, if anything was.
func (x *Index) judge(ctx context.Context, read *RecordRead, id string) (r *record, err error) {
	err = x.spaces.WithNamespace(ctx, func(s *access.Namespace) (current string, err error) {
		if read == nil || read.space != s {
			read = readingOf(ctx, s, id)
			_, _ = x.spaces.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { return p.BatchProcess(ctx, read.Commands()...) })
		}
		r = x.openRemembered(s, read.name, read.value.Val())
		return read.slot.Val(), access.ReadFailure(ctx, "read a package", read.slot, read.value) // each has its own error
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

// read returns the snapshot of a package, in one round trip.
func (x *Index) read(ctx context.Context, id string) (v snapshot, err error) {
	err = x.spaces.WithNamespace(ctx, func(s *access.Namespace) (current string, err error) {
		v = snapshot{space: s, name: recordName(s, id)}
		p := x.spaces.Redis.Pipeline()
		slot, counter := p.Get(ctx, s.Slot), p.HGet(ctx, s.State(), "counter")
		value := p.HGet(ctx, s.Records(), v.name)
		_, _ = p.Exec(ctx)                                      // each reply has its own error
		v.counter, _ = strconv.ParseUint(counter.Val(), 10, 64) // absent before the first write
		v.record = x.openRemembered(s, v.name, value.Val())
		return slot.Val(), access.ReadFailure(ctx, "read a package", slot, counter, value)
	})
	return v, err
}

// Refresh is NoteChange for a package that the platform may still have.
func (x *Index) Refresh(ctx context.Context, id string) error {
	_, err := x.NoteChange(ctx, id, false)
	return err
}

// NoteChange reads a package and its documents' visibility from the platform and writes them
// to the index, or removes the package if it is gone or the platform has none. It returns
// whose it was, as OwnerOf does, or whose it is if the index had none. It is called after each
// of our own writes and for a callback. It completes even when ctx is cancelled. The error is
// the platform's or an outage; the next sweep does what was left undone.
func (x *Index) NoteChange(ctx context.Context, id string, gone bool) (owner string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	c, err := x.refresh(ctx, id, afterChange(gone))
	return cmp.Or(c.before.owner(), c.full.owner()), err
}

// follow is Refresh for Run, which tells f of the package.
func (x *Index) follow(ctx context.Context, f Follower, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	c, err := x.refresh(ctx, id, afterChange(false))
	if c.read.ID != "" {
		f.Read(ctx, c.read)
	}
	return err
}

// refreshOptions say how refresh treats one package.
type refreshOptions struct {
	// gone says that the platform has it no longer, and is not asked.
	gone bool
	// person is the person whose request refreshes it, if any.
	person access.Person
	// visibility asks the platform for the visibility of documents even if it is known, as a
	// stale record does.
	visibility bool
	// tombstone leaves a tombstone even for a package that the index never had.
	tombstone bool
}

// afterChange are the options for a package that was changed, or is gone.
func afterChange(gone bool) refreshOptions {
	return refreshOptions{gone: gone, visibility: true, tombstone: true}
}

// refresh reads a package from the platform and writes the answer, again and again until
// nobody else wrote meanwhile. It returns the change that it made; after an error, the one
// that it could not make.
func (x *Index) refresh(ctx context.Context, id string, how refreshOptions) (c change, err error) {
	for done := false; !done && err == nil; {
		var v snapshot
		if v, err = x.read(ctx, id); err != nil {
			break
		}
		how.visibility = how.visibility || v.record != nil && v.record.stale
		if c, err = x.ask(ctx, id, v, how); err == nil {
			done, err = x.write(ctx, v.space, c)
		}
	}
	return c, err
}
