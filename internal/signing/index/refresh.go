package index

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/upstream"
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

// Refresh reads a package and its documents' visibility from the platform and writes them
// to the index, or removes the package if the platform has none. It is called after each
// of our own writes and for a callback, and drops every remembered 404 of the package. It
// completes even when ctx is cancelled. The error is the platform's or an outage; the
// next sweep does what was left undone.
func (x *Index) Refresh(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	return x.refresh(ctx, id)
}

func (x *Index) refresh(ctx context.Context, id string) error {
	_, err := x.refreshWith(ctx, id, refreshOptions{miss: forgetMisses, visibility: true, tombstone: true})
	return err
}

// Gone removes a package that was deleted at the platform. It completes even when ctx is
// cancelled. The error is an outage.
func (x *Index) Gone(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	_, err := x.refreshWith(ctx, id, refreshOptions{gone: true, miss: forgetMisses, tombstone: true})
	return err
}

// refreshOptions say how refreshWith treats one package.
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

// forgetMisses drops every remembered 404 of the package, so that everyone asks again.
func forgetMisses(*access.Space, *policy) string { return allMisses }

// keepMisses leaves the remembered 404s of the package as they are.
func keepMisses(*access.Space, *policy) string { return "" }

// refreshWith reads a package from the platform and writes the answer, again and again
// until nobody else wrote meanwhile. It returns the package's policy, nil if the platform
// has no such package.
func (x *Index) refreshWith(ctx context.Context, id string, how refreshOptions) (*policy, error) {
	for {
		v, err := x.read(ctx, id, how.person)
		if err != nil {
			return nil, err
		}
		c, err := x.ask(ctx, id, v, how)
		if err != nil {
			return nil, err
		}
		if done, err := x.write(ctx, v.space, c); done || err != nil {
			return c.full, err
		}
	}
}

// ask asks the platform for the package and returns the change to its record.
func (x *Index) ask(ctx context.Context, id string, v snapshot, how refreshOptions) (change, error) {
	var value jsontext.Value
	var err error
	if !how.gone {
		value, err = x.platform.Package(ctx, id)
	}
	switch {
	case how.gone, fault.Is(err, fault.RequestNotFound):
		return change{
			name: v.name, counter: v.counter, before: v.policy(), now: x.now(),
			tombstone: how.tombstone || v.record != nil, miss: how.miss(v.space, nil),
		}, nil
	case err != nil:
		return change{}, err
	}
	said, err := readPackage(value)
	if err != nil {
		return change{}, upstream.Unreadable(err)
	}
	x.saw(ctx, value)
	c := x.changeTo(said, v)
	c.miss = how.miss(v.space, c.after)
	if how.visibility || c.after.standing(how.person) == Signer && c.after.visibilityStale(x.now(), x.sweep) {
		err = x.askVisibility(ctx, c.after)
	}
	if how.visibility && upstream.IsUnreadable(err) { // all documents are hidden until it is known
		x.note(ctx, id, c.after.Updated, err)
		err = nil
	}
	if err == nil {
		err = c.bound()
	}
	return c, err
}

// changeTo returns the change that makes the record equal to the platform's answer; the
// known visibility of documents stays while the package was not updated.
func (x *Index) changeTo(said packageAnswer, v snapshot) change {
	after := &said.policy
	if before := v.policy(); before != nil && before.Updated == after.Updated {
		after.Visibility, after.VisibilityAt = before.Visibility, before.VisibilityAt
	}
	return change{name: v.name, counter: v.counter, before: v.policy(), after: after, item: said.item, boundErr: said.boundErr, now: x.now()}
}

// bound cuts the change's policy to the size that a record can hold; full keeps the
// policy before that.
func (c *change) bound() (err error) {
	c.full = c.after
	c.after, err = c.after.bounded()
	c.keep = c.after.equal(c.before)
	return err
}

// askVisibility asks the platform for the visibility of the package's documents, if it
// has any and is with its signers.
func (x *Index) askVisibility(ctx context.Context, p *policy) error {
	if !p.signable() || len(p.Documents) == 0 {
		return nil
	}
	at := x.now().Unix()
	visibility, err := x.platform.Visibility(ctx, p.ID)
	if err != nil {
		return err
	}
	p.VisibilityAt, p.Visibility = at, nil
	if len(visibility) > 0 {
		p.Visibility = visibility
	}
	return nil
}
