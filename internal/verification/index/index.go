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

// transactionsTag begins every key of the index; the hash tag keeps them in one slot of a
// cluster.
const tag = "access:{t}:"

// format2 names how records are written. It is the name that they have had since the
// first release.
const format = "dictionary e316aa954a00f66f"

// transactionsLife is how long the index of transactions outlives its last write: the
// platform ends a transaction after 90 days.
const life = 400 * 24 * time.Hour

// TransactionPlatform is the part of the platform that the index of transactions is
// made of. Errors are *fault.Error.
type Platform interface {
	// Transaction is the transaction of that id; the error is request.not-found where
	// the platform has none.
	Transaction(ctx context.Context, id string) (jsontext.Value, error)
	// Result is what came of a completed one: Undefined, Passed or Failed.
	Result(ctx context.Context, id string) (string, error)
}

// TransactionOptions are what Transactions are made of. All of it is required.
type Options struct {
	// Redis is a client that never sends a script twice, as that of redisdb.
	Redis redis.UniversalClient
	// Keys are ACCESS_KEYS, 32 bytes each: the first seals, all open.
	Keys [][]byte
	// Platform has the truth.
	Platform Platform
	// Leases has one request at a time look up one transaction for one person.
	Leases *redisdb.Leases
	// Lookup takes one of the look-ups that a session has the platform make for what is
	// not its person's; it refuses what is too many.
	Lookup func(ctx context.Context, session string) error
	// Now is the clock.
	Now func() time.Time
}

// Transactions decide whose a transaction is, over an index of those that were started,
// opened or named by a callback here. Who started one stands on the platform, sealed in
// its opaque_id (Starters). They are safe for concurrent use.
type Index struct {
	spaces access.Spaces
	Starters
	platform Platform
	leases   *redisdb.Leases
	lookup   func(ctx context.Context, session string) error
	now      func() time.Time
}

// NewTransactions makes Transactions; the error is about the options.
func New(o Options) (*Index, error) {
	keys, err := seal.New(o.Keys...)
	if err != nil {
		return nil, err
	}
	if o.Redis == nil || o.Platform == nil || o.Leases == nil || o.Lookup == nil || o.Now == nil {
		return nil, errors.New("access: an option is missing")
	}
	return &Index{
		spaces:   access.Spaces{Redis: o.Redis, Keys: keys, Tag: tag, Format: format, Life: life},
		Starters: NewStarters(keys),
		platform: o.Platform, leases: o.Leases, lookup: o.Lookup, now: o.Now,
	}, nil
}

// TransactionGrant is what the policy says of one person and one transaction (contract
// of verification, section 2). One of its members is true.
type Grant struct {
	// Starter says that the person started it, Operator that they are an operator.
	Starter, Operator bool
	// StartedBy is who started it; empty where nobody did through Countersign.
	StartedBy string
}

// errNotStarted is why a person is told that there is no such transaction.
var errNotStarted = errors.New("access: no transaction of that id that the person is anything to")

// Grant is what the policy says of person and the transaction of that id, in one round
// trip to Redis where the index knows it and they started it or are an operator.
//
// For anybody else the platform is asked, once a minute for a person and an id, whether
// the index knows the id or not; session is what RATE_LOOKUP counts by. Whoever is
// nothing to it gets request.not-found, as for an id that the platform does not know;
// other errors are request.rate, the platform's, and outages.
func (t *Index) Grant(ctx context.Context, person access.Person, session, id string) (Grant, error) {
	v, err := t.read(ctx, id, person)
	if err != nil {
		return Grant{}, err
	}
	if g, ok := v.grant(person); ok {
		return g, nil
	}
	if person.Operator {
		return t.ask(ctx, person, id, v)
	}
	if v.missed {
		return Grant{}, fault.Wrap(fault.RequestNotFound, errNotStarted)
	}
	if err := t.lookup(ctx, session); err != nil {
		return Grant{}, err
	}
	return t.lookUp(ctx, person, id)
}

// grant is that of a record that knows person; false where there is none.
func (v view) grant(person access.Person) (Grant, bool) {
	if v.record == nil || v.record.Starter != person.User && !person.Operator {
		return Grant{}, false
	}
	return Grant{Starter: v.record.Starter == person.User, Operator: person.Operator, StartedBy: v.record.Starter}, true
}

// lookUp asks the platform, once for all of the person's requests that wait for it, on
// whatever node.
func (t *Index) lookUp(ctx context.Context, person access.Person, id string) (g Grant, err error) {
	lease := redisdb.Lease{Kind: "transaction", Subject: person.User + "\x00" + id, Life: access.LookupLife, Wait: access.LookupWait}
	held, err := t.leases.Hold(ctx, lease, func(ctx context.Context) error {
		v, err := t.read(ctx, id, person)
		if err != nil {
			return err
		}
		if known, ok := v.grant(person); ok {
			g = known
			return nil
		}
		if v.missed { // another request looked meanwhile
			return fault.Wrap(fault.RequestNotFound, errNotStarted)
		}
		g, err = t.ask(ctx, person, id, v)
		return err
	})
	if err == nil && !held {
		err = fault.Wrap(fault.ServerUnavailable, errors.New("access: look up: another request has not ended"))
	}
	return g, err
}

// ask asks the platform who started the transaction, and writes down what it said.
func (t *Index) ask(ctx context.Context, person access.Person, id string, v view) (Grant, error) {
	body, err := t.platform.Transaction(ctx, id)
	if fault.Is(err, fault.RequestNotFound) {
		if v.record != nil {
			err = t.Gone(ctx, id)
		} else {
			err = nil
		}
		if err == nil {
			err = t.miss(ctx, v, person)
		}
		if err == nil {
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
		if err := t.miss(ctx, v, person); err != nil {
			return Grant{}, err
		}
		return Grant{}, fault.Wrap(fault.RequestNotFound, errNotStarted)
	}
	return g, t.write(ctx, said)
}

// miss remembers that person missed the transaction.
func (t *Index) miss(ctx context.Context, v view, person access.Person) error {
	if person.Operator {
		return nil
	}
	key, until := v.space.Missed(v.name), t.now().Add(access.MissedFor).UnixMilli()
	p := t.spaces.Redis.TxPipeline()
	p.ZAdd(ctx, key, redis.Z{Score: float64(until), Member: v.space.Person(access.Person{User: person.User})})
	p.PExpire(ctx, key, access.MissedFor)
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "remember a transaction that was not found", err)
	}
	return nil
}

// MayErase reports whether the person may have the transaction erased, where starters
// may or not.
func (g Grant) MayErase(starters bool) bool { return g.Operator || g.Starter && starters }

// MayPlay reports whether the person may see and make tokens: nobody plays somebody
// else.
func (g Grant) MayPlay() bool { return g.Starter }
