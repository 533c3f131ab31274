// Package redisdb opens the Redis client (single, Sentinel, Cluster or embedded) and has
// leases.
//
// Every command has 800 ms for waiting, dialling, sending and reading together. Reads are
// tried again within that time, and so are commands that Redis says it did not run.
// Everything else is sent once: a script whose answer got lost may have run, and running
// it twice could spend a challenge twice.
//
// The package also turns outages into faults (Unavailable), checks that Redis can be read
// and written (DB.Readable, DB.Writable), and lets one node at a time do some work
// (Leases). It knows no other package's keys. Redis is 6.0 or later.
package redisdb

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"
)

// The modes of Options.Mode say which of go-redis's forms the URL has.
const (
	ModeSingle   = "single"
	ModeSentinel = "sentinel"
	ModeCluster  = "cluster"
)

// Options says which Redis to open.
type Options struct {
	// URL is go-redis's own form for the mode: redis:// or, with TLS, rediss://,
	// and for Sentinel and Cluster further nodes as ?addr=host:port. It holds the
	// password, so it appears in no error. Time-outs and retries in it are ignored.
	URL string
	// Mode is ModeSingle when empty.
	Mode string
	// Prefix begins the name of every key and channel; DefaultPrefix when empty.
	Prefix string
	// TLS holds the trusted authorities and the client's certificate for a URL with TLS;
	// nil stands for the system's authorities and no certificate.
	TLS *tls.Config
	// Embedded opens a Redis inside the process instead; URL must be empty.
	Embedded bool
	// Now is the clock of the embedded Redis, which needs one. With time.Now, whose
	// readings are monotonic, a step of the wall clock expires nothing.
	Now func() time.Time
	// Timeout limits a command with all its steps and tries. 0 stands for 0.8 s, and for
	// 5 s with the embedded Redis, which cannot be away, only slow on a busy machine.
	Timeout time.Duration
	// Logger, if given, receives the report of an empty Redis, and go-redis's lines.
	// go-redis has one logger per process: that of the DB opened last.
	Logger *slog.Logger
	// Observe, if given, is called with each call's outcome and duration; it needs Now.
	Observe func(Outcome, time.Duration)
	// Tracer makes spans of the calls; nil makes none.
	Tracer trace.Tracer

	opaque bool // sockets are hidden from go-redis, as under TLS
}

// Client is a pool of connections to Redis, safe for concurrent use: as much of a
// redis.UniversalClient as is needed of it. Packages name this, or redis.Cmdable, since each
// one that names go-redis's clients compiles their thousands of methods again.
type Client interface {
	redis.Cmdable
	Process(ctx context.Context, cmd redis.Cmder) error
	AddHook(hook redis.Hook)
	PoolStats() *redis.PoolStats
	Close() error
}

// DB is the open client.
type DB struct {
	// Client is shared by all.
	Client    Client
	subscribe func(ctx context.Context, channel string) Subscription

	url, mode string // of a Redis outside the process
	access    atomic.Pointer[access]

	limit  time.Duration // of a command
	prefix string
	logger *slog.Logger // may be nil
	memory *miniredis.Miniredis
	stop   func()
	// connections counts all connections ever made to a Redis outside the process.
	connections atomic.Uint64
	// starved counts the commands that found no connection free in time.
	starved atomic.Uint32

	together together
}

// Open makes the client without connecting: a Redis that is away at the start is an
// outage like any other, which Readable reports. The error is about the options.
func Open(o Options) (*DB, error) {
	db, err := open(o)
	if err != nil {
		return nil, err
	}
	if o.Observe != nil {
		db.Client.AddHook(meter{o.Observe, o.Now})
	}
	if o.Tracer != nil {
		db.Client.AddHook(tracer{o.Tracer})
	}
	return db, nil
}

func open(o Options) (*DB, error) {
	if o.Logger != nil {
		redis.SetLogger(printer{o.Logger})
	}
	if o.Embedded {
		if o.URL != "" {
			return nil, errors.New("redisdb: an embedded Redis has no URL")
		}
		if o.Now == nil {
			return nil, errors.New("redisdb: an embedded Redis needs a clock")
		}
		return embed(o), nil
	}
	limit := cmp.Or(o.Timeout, answerTimeout)
	db := &DB{limit: limit, prefix: cmp.Or(o.Prefix, DefaultPrefix), logger: o.Logger, stop: func() {}}
	if err := db.dial(o); err != nil {
		return nil, fmt.Errorf("redisdb: %w", err)
	}
	return db, nil
}

// Subscription receives the messages of a channel, as a redis.PubSub does.
type Subscription interface {
	ReceiveTimeout(ctx context.Context, timeout time.Duration) (message any, err error)
	Ping(ctx context.Context, payload ...string) error
	Close() error
}

// Subscribe listens to a channel, on a connection that nothing else uses.
func (db *DB) Subscribe(ctx context.Context, channel string) Subscription {
	return db.subscribe(ctx, channel)
}

// connect has db use the client. It is no method: packages that use DB would read its signature,
// see Client.
func connect(db *DB, client redis.UniversalClient) {
	db.Client = client
	db.subscribe = func(ctx context.Context, channel string) Subscription { return client.Subscribe(ctx, channel) }
}

// Timeout returns the time limit of a command.
func (db *DB) Timeout() time.Duration { return db.limit }

// hook adds the hooks that every client has, the outermost first.
func (db *DB) hook(g guard) {
	if db.prefix != DefaultPrefix {
		db.Client.AddHook(keyPrefixer{db.prefix})
	}
	db.Client.AddHook(g)
}

// Close closes the client and the embedded Redis with all its data.
func (db *DB) Close() error {
	db.stop()
	err := db.Client.Close()
	if db.memory != nil {
		db.memory.Close()
	}
	if err != nil {
		return fmt.Errorf("redisdb: close: %w", err)
	}
	return nil
}

// printer passes go-redis's lines to slog as warnings. They report dials and failovers; a
// failed request logs its own error.
type printer struct{ logger *slog.Logger }

func (p printer) Printf(ctx context.Context, format string, args ...any) {
	p.logger.WarnContext(ctx, "redis client message", "detail", fmt.Sprintf(format, args...))
}
