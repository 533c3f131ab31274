// Package redisdb opens the one Redis client of the program: a single server,
// Sentinel or Cluster from a URL, or a Redis embedded in the process.
//
// Whatever a Redis elsewhere does, the client answers within 800 ms: every command has
// that long for waiting, dialling, sending and reading together. Reads are tried again
// within it. Everything else is sent once and never again: a script whose answer
// was lost may have run, and to run it twice could spend a challenge twice.
//
// It owns the connection, its time-outs and its end. It knows nobody's keys. Redis is
// 6.0 or later.
package redisdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
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
	// password, so it appears in no error. The time-outs and retries that it may
	// name are not taken: they are this package's promise.
	URL string
	// Mode is ModeSingle when empty.
	Mode string
	// Embedded opens a Redis inside the process instead; URL must be empty.
	Embedded bool
	// Now is the clock of the embedded Redis, which needs one: time.Now, whose
	// monotonic reading keeps a step of the wall clock from expiring anything.
	Now func() time.Time
	// Logger, if given, takes what go-redis has to say. go-redis knows one logger
	// per process: the last one opened wins.
	Logger *slog.Logger
}

// DB is the open client.
type DB struct {
	// Client is what everyone shares.
	Client redis.UniversalClient

	limit  time.Duration // of a command
	memory *miniredis.Miniredis
	stop   func()
}

// Open makes the client. It does not connect: a Redis that is away at start is an
// outage like any other, told by Readable. The error is about the options.
func Open(_ context.Context, o Options) (*DB, error) {
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
		return embed(o.Now), nil
	}
	client, err := dial(o.Mode, o.URL)
	if err != nil {
		return nil, err
	}
	return &DB{Client: client, limit: answerTimeout, stop: func() {}}, nil
}

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

// printer hands go-redis's lines to slog. They tell of dials and failovers: a
// warning each, since the request that suffered logs its own error.
type printer struct{ logger *slog.Logger }

func (p printer) Printf(ctx context.Context, format string, args ...any) {
	p.logger.WarnContext(ctx, "redis client", "detail", fmt.Sprintf(format, args...))
}
