package index

import (
	"context"

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
