package index

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"time"

	"countersign/internal/signing"
	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// Options configure an Index. Everything but Note, OnRead, OnEnded and OnSwept is required.
type Options struct {
	// Redis is a client that never sends a script twice, such as redisdb's.
	Redis redis.UniversalClient
	// Keys are ACCESS_KEYS: the first one seals, every one opens.
	Keys seal.Keys
	// Platform is asked for the packages.
	Platform Platform
	// Leases let one node at a time sweep.
	Leases *redisdb.Leases
	// Lookup counts one question to the platform about a package that is not known to be
	// the person's; it returns an error when the session has asked too often.
	Lookup func(ctx context.Context, session string) error
	// Sweep is the interval at which the platform is asked what has changed.
	Sweep time.Duration
	// Logger takes the failures of background work.
	Logger *slog.Logger
	// Note logs, once, a package that cannot be read in full; updated is the package's,
	// if known. Nil logs each occurrence to Logger.
	Note func(ctx context.Context, id, updated string, cause error)
	// OnRead is called with each package that was read from the platform; nil is told nothing.
	OnRead func(ctx context.Context, p signing.Package)
	// OnEnded is called with each end of a package, by one node; where it fails it is called
	// again for a while, less and less often; not after request.not-found once the index
	// has lost the package too. Nil is told nothing.
	OnEnded func(ctx context.Context, e End) error
	// OnSwept is called after each sweep, by the node that made it; nil is told nothing.
	OnSwept func(ctx context.Context)
	// Now is the clock.
	Now func() time.Time
}

// Index applies the policy to packages, from records in Redis. It is safe for concurrent
// use.
type Index struct {
	spaces     access.Namespaces
	platform   Platform
	leases     *redisdb.Leases
	takeLookup func(ctx context.Context, session string) error
	sweep      time.Duration
	logger     *slog.Logger
	note       func(ctx context.Context, id, updated string, cause error)
	saw        func(ctx context.Context, p signing.Package)
	tell       func(ctx context.Context, e End) error // nil is told nothing
	swept      func(ctx context.Context)              // nil is told nothing
	now        func() time.Time
	// policies caches the policies of packages that people have open.
	policies *seal.Memo[string, policy]
	// compared remembers by package which answer of the platform was found to match which
	// record.
	compared *seal.Memo[string, struct{}]
	seed     maphash.Seed

	late late
	wake [2]chan struct{} // there is work for Run: callbacks, a sweep
}

// New returns an Index; the error is about the options.
func New(o Options) (*Index, error) {
	if o.Redis == nil || o.Platform == nil || o.Leases == nil || o.Lookup == nil || o.Logger == nil || o.Now == nil || o.Sweep <= 0 {
		return nil, errors.New("access: an option is missing")
	}
	if o.Note == nil {
		o.Note = func(ctx context.Context, id, updated string, cause error) {
			o.Logger.WarnContext(ctx, "a package of the platform cannot be read in whole", "package", id, "updated", updated, "cause", cause.Error())
		}
	}
	if o.OnRead == nil {
		o.OnRead = func(context.Context, signing.Package) {}
	}
	return &Index{
		saw: o.OnRead, tell: o.OnEnded, swept: o.OnSwept,
		spaces:   access.Namespaces{Redis: o.Redis, Keys: o.Keys, Tag: tag, Format: format, Life: life},
		platform: o.Platform, leases: o.Leases, takeLookup: o.Lookup,
		sweep: o.Sweep, logger: o.Logger, note: o.Note, now: o.Now,
		policies: seal.NewMemo[string, policy](rememberedPolicies),
		compared: seal.NewMemo[string, struct{}](rememberedPolicies), seed: maphash.MakeSeed(),
		wake: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)},
	}, nil
}

// rememberedPolicies limits each generation of Index.policies and Index.compared.
const rememberedPolicies = 2048
