package index

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// Options are what an Index is made of. All of it is required but Note.
type Options struct {
	// Redis is a client that never sends a script twice, as that of redisdb.
	Redis redis.UniversalClient
	// Keys are ACCESS_KEYS, 32 bytes each: the first seals, all open.
	Keys [][]byte
	// Platform has the truth.
	Platform Platform
	// Leases has one node at a time sweep, and one request at a time look up one
	// package for one person.
	Leases *redisdb.Leases
	// Lookup takes one of the look-ups that a session has the platform make for what is
	// not its person's; it refuses what is too many.
	Lookup func(ctx context.Context, session string) error
	// Sweep is how often the platform is asked what has changed.
	Sweep time.Duration
	// Logger is told of what background work failed at.
	Logger *slog.Logger
	// Note names in the log a package that cannot be read in whole, as of updated where
	// that is known, once; nil has Logger told whenever one is met.
	Note func(ctx context.Context, id, updated string, cause error)
	// Now is the clock.
	Now func() time.Time
}

// Index is the policy over its index in Redis. It is safe for concurrent use.
type Index struct {
	spaces   access.Spaces
	platform Platform
	leases   *redisdb.Leases
	lookup   func(ctx context.Context, session string) error
	sweep    time.Duration
	logger   *slog.Logger
	note     func(ctx context.Context, id, updated string, cause error)
	now      func() time.Time
	// policies are those of the packages that people have open.
	policies *seal.Memo[string, policy]

	wake [2]chan struct{} // there is work for Run: callbacks, a sweep
}

// New makes an Index; the error is about the options.
func New(o Options) (*Index, error) {
	keys, err := seal.New(o.Keys...)
	if err != nil {
		return nil, err
	}
	if o.Redis == nil || o.Platform == nil || o.Leases == nil || o.Lookup == nil || o.Logger == nil || o.Now == nil || o.Sweep <= 0 {
		return nil, errors.New("access: an option is missing")
	}
	if o.Note == nil {
		o.Note = func(ctx context.Context, id, updated string, cause error) {
			o.Logger.WarnContext(ctx, "a package of the platform cannot be read in whole", "package", id, "updated", updated, "cause", cause.Error())
		}
	}
	return &Index{
		spaces:   access.Spaces{Redis: o.Redis, Keys: keys, Tag: tag, Format: format(), Life: life},
		platform: o.Platform, leases: o.Leases, lookup: o.Lookup,
		sweep: o.Sweep, logger: o.Logger, note: o.Note, now: o.Now, policies: seal.NewMemo[string, policy](rememberedPolicies), wake: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)},
	}, nil
}

// rememberedPolicies is how many a generation of Index.policies has.
const rememberedPolicies = 2048

// view is what the index has of one package for one person, and the counter before
// whatever is asked next.
type view struct {
	space   *access.Space
	name    string
	counter uint64
	record  *record // nil for none
	missed  bool    // the package was not found for the person a moment ago
}

// policy is the record's, nil for none.
func (v view) policy() *policy {
	if v.record == nil {
		return nil
	}
	return &v.record.policy
}

// peek is the policy of a package as the index has it, in one round trip; nil for none.
func (x *Index) peek(ctx context.Context, id string) (p *policy, err error) {
	err = x.spaces.InSpace(ctx, func(s *access.Space) (current string, err error) {
		v := view{space: s, name: recordName(s, id)}
		commands := x.spaces.Redis.Pipeline()
		slot, value := commands.Get(ctx, s.Slot), commands.HGet(ctx, s.Records(), v.name)
		_, _ = commands.Exec(ctx) // each reply has its own error
		v.record = x.openRemembered(s, v.name, value.Val())
		p = v.policy()
		return slot.Val(), access.ReadFailure(ctx, "read a package", slot, value)
	})
	return p, err
}

// OwnerOf is whose the package of that id is, as far as the index knows: the user who
// made it through Countersign, else the e-mail address of its sender; "" where it knows
// neither.
func (x *Index) OwnerOf(ctx context.Context, id string) (string, error) {
	p, err := x.peek(ctx, id)
	if err != nil || p == nil {
		return "", err
	}
	return cmp.Or(p.Owner, p.Sender), nil
}

// read looks a package up in the index for person, in one round trip.
func (x *Index) read(ctx context.Context, id string, person access.Person) (v view, err error) {
	err = x.spaces.InSpace(ctx, func(s *access.Space) (current string, err error) {
		v = view{space: s, name: recordName(s, id)}
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

// write makes one change; false is somebody else having been faster.
func (x *Index) write(ctx context.Context, s *access.Space, c change) (bool, error) {
	reply, err := x.send(ctx, x.spaces.Redis, s, c)
	if err != nil {
		return false, err
	}
	done, err := reply.Bool()
	if err != nil {
		return false, access.Outage(ctx, "write a package", err)
	}
	return done, nil
}
