// Package redisdb opens the one Redis client of the program: a single server,
// Sentinel or Cluster from a URL, or a Redis embedded in the process.
//
// Every command has 800 ms for waiting, dialling, sending and reading together. Reads
// are tried again within it, and so is what Redis says that it did not run. Everything
// else is sent once: a script whose answer got lost may have run, and running it twice
// could spend a challenge twice.
//
// The package also makes faults of outages (Unavailable), tells whether Redis can be
// read and written (DB.Readable, DB.Writable), and has work done by one node at a time
// (Leases). It knows nobody else's keys. Redis is 6.0 or later.
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

// The modes of Options.Mode: which of go-redis's URL forms the URL has.
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
	// TLS has the authorities and the client's certificate where the URL asks for TLS;
	// nil is the system's authorities and no certificate.
	TLS *tls.Config
	// Embedded opens a Redis inside the process instead; URL must be empty.
	Embedded bool
	// Now is the clock of the embedded Redis, which needs one. The monotonic reading
	// of time.Now keeps a step of the wall clock from expiring anything.
	Now func() time.Time
	// Timeout bounds a command with all its steps and tries: 0 is 0.8 s, and 5 s for
	// the embedded Redis, which cannot be away, only as slow as the rest of a busy
	// machine.
	Timeout time.Duration
	// Logger, if given, is told of an empty Redis, and takes what go-redis logs.
	// go-redis has one logger per process: that of the DB opened last.
	Logger *slog.Logger
	// Observe, if given, is told how each call ended and how long it took; it needs Now.
	Observe func(Outcome, time.Duration)
	// Tracer makes spans of the calls; nil makes none.
	Tracer trace.Tracer
}

// DB is the open client.
type DB struct {
	// Client is shared by all and safe for concurrent use.
	Client redis.UniversalClient

	limit  time.Duration // of a command
	logger *slog.Logger  // nil where nobody is told
	memory *miniredis.Miniredis
	stop   func()
	// connections is how many were ever made to a Redis outside the process.
	connections atomic.Uint64
	// starved is how many commands found no connection free in time.
	starved atomic.Uint32
}

// Open makes the client. It does not connect: a Redis that is away at start is an
// outage like any other, which Readable tells. The error is about the options.
func Open(o Options) (*DB, error) {
	db, err := open(o)
	if err == nil && o.Observe != nil {
		db.Client.AddHook(meter{o.Observe, o.Now})
	}
	if err == nil && o.Tracer != nil {
		db.Client.AddHook(tracer{o.Tracer})
	}
	return db, err
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
		return embed(o.Now, cmp.Or(o.Timeout, patience)), nil
	}
	limit := cmp.Or(o.Timeout, answerTimeout)
	db := &DB{limit: limit, logger: o.Logger, stop: func() {}}
	if err := db.dial(o); err != nil {
		return nil, fmt.Errorf("redisdb: %w", err)
	}
	return db, nil
}

// Timeout is how long a command may take.
func (db *DB) Timeout() time.Duration { return db.limit }

// Close ends the client and, with it, the embedded Redis and all it held.
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

// printer hands go-redis's lines to slog as warnings. They tell of dials and failovers;
// the request that suffered logs its own error.
type printer struct{ logger *slog.Logger }

func (p printer) Printf(ctx context.Context, format string, args ...any) {
	p.logger.WarnContext(ctx, "redis client", "detail", fmt.Sprintf(format, args...))
}
