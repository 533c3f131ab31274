package index

import (
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

// peek returns a package's record from the index, in one round trip; nil if it has none.
func (x *Index) peek(ctx context.Context, id string) (r *record, err error) {
	err = x.spaces.InSpace(ctx, func(s *access.Space) (current string, err error) {
		name, slot, value := x.recordReads(ctx, s, id)
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

// recordReads returns the name of a package's record, and the replies with the index's slot
// and the record's value: those that were read ahead, else of now.
func (x *Index) recordReads(ctx context.Context, s *access.Space, id string) (name string, slot, value *redis.StringCmd) {
	if sent := redisdb.SentAhead(ctx, recordOf{s, id}); sent != nil {
		name, _ = sent[1].Args()[2].(string)
		return name, sent[0], sent[1]
	}
	name = recordName(s, id)
	slot, value = recordCommands(ctx, s, name)
	_, _ = x.spaces.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each reply has its own error
		_ = p.Process(ctx, slot)
		_ = p.Process(ctx, value)
		return nil
	})
	return name, slot, value
}

// recordCommands read what recordReads returns.
func recordCommands(ctx context.Context, s *access.Space, name string) (slot, value *redis.StringCmd) {
	return redis.NewStringCmd(ctx, "get", s.Slot), redis.NewStringCmd(ctx, "hget", s.Records(), name)
}
