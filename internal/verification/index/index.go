// Package index decides which user may use an identity check, over an index in Redis. The
// platform keeps the truth: it stores the starter of a transaction, sealed in the
// transaction's opaque_id (Starters). A lost index therefore comes back transaction by
// transaction, and never makes anybody else the starter.
//
// The index also lists a person's own transactions, and keeps two things that the
// platform does not tell: when a transaction will be erased, and where its audit trail
// is. Records are sealed under ACCESS_KEYS.
package index

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// tag begins every key of the index. The hash tag keeps the keys in one slot of a
// cluster.
const tag = "cs:access:{t}:"

// format names the layout of records and of their keys.
const format = "records under the common prefix"

// life limits how long the index is kept after its last write. The platform ends a
// transaction after 90 days.
const life = 400 * 24 * time.Hour

// Platform is the part of the platform that the index needs. Its errors are *fault.Error.
type Platform interface {
	// Transaction returns the transaction of that id, or request.not-found if the
	// platform has none.
	Transaction(ctx context.Context, id string) (jsontext.Value, error)
	// Result returns the result of a completed transaction: Undefined, Passed or Failed.
	Result(ctx context.Context, id string) (string, error)
}

// Options configure an Index. Everything is required.
type Options struct {
	// Redis is a client that never repeats a script, such as redisdb's.
	Redis redis.Cmdable
	// Keys are ACCESS_KEYS: the first one seals, every one opens.
	Keys seal.Keys
	// Platform answers what the index does not know.
	Platform Platform
	// Leases let one node at a time sweep.
	Leases *redisdb.Leases
	// Lookup counts a look-up at the platform against the session's limit, and returns an
	// error once the limit is reached.
	Lookup func(ctx context.Context, session string) error
	// Now returns the current time.
	Now func() time.Time
}

// Index decides whose a transaction is. It is safe for concurrent use.
type Index struct {
	spaces access.Namespaces
	Starters
	platform Platform
	leases   *redisdb.Leases
	lookup   func(ctx context.Context, session string) error
	now      func() time.Time
}

// New makes an Index. The error is about the options.
func New(o Options) (*Index, error) {
	if o.Redis == nil || o.Platform == nil || o.Leases == nil || o.Lookup == nil || o.Now == nil {
		return nil, errors.New("index: an option is missing")
	}
	return &Index{
		spaces:   access.Namespaces{Redis: o.Redis, Keys: o.Keys, Tag: tag, Format: format, Life: life},
		Starters: NewStarters(o.Keys),
		platform: o.Platform, leases: o.Leases, lookup: o.Lookup, now: o.Now,
	}, nil
}

// Grant tells what a person is to one transaction. At least one of Starter and Operator
// is true.
type Grant struct {
	// Starter says that the person started the transaction, and Operator that they are an
	// operator.
	Starter, Operator bool
	// StartedBy is the user who started it; "" if it was not started through Countersign.
	StartedBy string
}

// errNotStarted is the cause of request.not-found for a person who is nothing to a
// transaction.
var errNotStarted = errors.New("index: identity check not found or not visible")

// Grant returns what person is to the transaction of that id. If the index knows the
// transaction, its starter and operators cost one round trip to Redis.
//
// Otherwise Grant asks the platform. For a person who is no operator it counts that against
// the limit of session (RATE_LOOKUP), whether or not the index knows the id. A person who is nothing to the transaction gets
// request.not-found, as for an id that does not exist. Other errors are request.rate, the
// platform's, and outages.
func (t *Index) Grant(ctx context.Context, person access.Person, session, id string) (Grant, error) {
	v, err := t.read(ctx, id)
	if err != nil {
		return Grant{}, err
	}
	if g, ok := v.grant(person); ok {
		return g, nil
	}
	if !person.Operator {
		if err := t.lookup(ctx, session); err != nil {
			return Grant{}, err
		}
	}
	return t.ask(ctx, person, id)
}

// view is the index's knowledge of one transaction.
type view struct {
	space  *access.Namespace
	name   string
	sealed string  // the record as stored
	record *record // nil if there is none
}

// read reads a transaction from the index, in one round trip.
func (t *Index) read(ctx context.Context, id string) (v view, err error) {
	err = t.spaces.WithNamespace(ctx, func(s *access.Namespace) (current string, err error) {
		v = view{space: s, name: recordName(s, id)}
		p := t.spaces.Redis.Pipeline()
		slot, value := p.Get(ctx, s.Slot), p.HGet(ctx, s.Records(), v.name)
		_, _ = p.Exec(ctx) // each reply has its own error
		v.sealed, v.record = value.Val(), openRecord(s.Sealer, v.name, value.Val())
		return slot.Val(), access.ReadFailure(ctx, "read a transaction", slot, value)
	})
	return v, err
}

// grant returns the person's grant from the record, and false if the record is missing or
// grants the person nothing.
func (v view) grant(person access.Person) (Grant, bool) {
	if v.record == nil || v.record.Starter != person.User && !person.Operator {
		return Grant{}, false
	}
	return Grant{Starter: v.record.Starter == person.User, Operator: person.Operator, StartedBy: v.record.Starter}, true
}

// ask asks the platform who started the transaction, and writes the answer to the index
// if it grants the person something.
func (t *Index) ask(ctx context.Context, person access.Person, id string) (Grant, error) {
	body, err := t.platform.Transaction(ctx, id)
	if fault.Is(err, fault.RequestNotFound) {
		if err = t.Missing(ctx, id); err == nil {
			err = fault.Wrap(fault.RequestNotFound, errNotStarted)
		}
		return Grant{}, err
	}
	if err != nil {
		return Grant{}, err
	}
	said, err := t.readTransaction(body, id)
	if err != nil {
		return Grant{}, err
	}
	g := Grant{Starter: said.Starter != "" && said.Starter == person.User, Operator: person.Operator, StartedBy: said.Starter}
	if !g.Starter && !g.Operator {
		return Grant{}, fault.Wrap(fault.RequestNotFound, errNotStarted)
	}
	return g, t.write(ctx, said, false)
}

// MayErase reports whether the person may have the transaction erased; starters says
// whether those who started one may.
func (g Grant) MayErase(starters bool) bool { return g.Operator || g.Starter && starters }

// MayPlay reports whether the person may see and make tokens. Only the starter may, so
// that nobody can act as somebody else.
func (g Grant) MayPlay() bool { return g.Starter }
