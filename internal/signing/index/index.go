package index

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
	"countersign/internal/signing/platform"
)

// Options configure an Index. Everything but UnreadableLog and Ends is required.
type Options struct {
	// Redis is a client that never sends a script twice, such as redisdb's.
	Redis redis.Cmdable
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
	// UnreadableLog logs the packages that cannot be read in full; nil is one that logs to Logger.
	UnreadableLog *platform.UnreadableLog
	// Ends keeps the ends of packages until Run has told of them.
	Ends bool
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
	unread     *platform.UnreadableLog
	ends       bool // ends of packages are kept
	now        func() time.Time
	// policies caches the policies of packages that people have open.
	policies *seal.Memo[string, policy]
	// compared remembers by package which answer of the platform was found to match which
	// record.
	compared *seal.Memo[string, struct{}]
	seed     maphash.Seed

	late backlog
	wake [2]chan struct{} // there is work for Run: callbacks, a sweep
}

// New returns an Index; the error is about the options.
func New(o Options) (*Index, error) {
	if o.Redis == nil || o.Platform == nil || o.Leases == nil || o.Lookup == nil || o.Logger == nil || o.Now == nil || o.Sweep <= 0 {
		return nil, errors.New("index: an option is missing")
	}
	if o.UnreadableLog == nil {
		o.UnreadableLog = platform.NewUnreadableLog(o.Logger)
	}
	return &Index{
		spaces:   access.Namespaces{Redis: o.Redis, Keys: o.Keys, Tag: tag, Format: format, Life: life},
		platform: o.Platform, leases: o.Leases, takeLookup: o.Lookup,
		sweep: o.Sweep, logger: o.Logger, unread: o.UnreadableLog, ends: o.Ends, now: o.Now,
		policies: seal.NewMemo[string, policy](rememberedPolicies),
		compared: seal.NewMemo[string, struct{}](rememberedPolicies), seed: maphash.MakeSeed(),
		wake: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)},
	}, nil
}

// rememberedPolicies limits each generation of Index.policies and Index.compared.
const rememberedPolicies = 2048
