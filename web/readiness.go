package web

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// readyWithin limits one check of Redis.
	readyWithin = time.Second
	// lookEvery is the interval of Watch. Requests of /readyz do not make the write
	// checks more frequent.
	lookEvery = time.Second
)

// errStopping is the error of Check while the program ends.
var errStopping = errors.New("stopping")

// Redis is the database that a node needs. The errors say why it cannot be used.
type Redis interface {
	// Readable checks that all data in Redis can be read.
	Readable(context.Context) error
	// Writable checks that Redis takes writes everywhere.
	Writable(context.Context) error
}

// Readiness knows whether this node can do its work, for which it must read from Redis,
// and whether Redis takes writes. It reports each change once: in the log, with its
// cause, and in the metrics countersign_ready and countersign_redis_writable. It is safe
// for concurrent use.
type Readiness struct {
	redis         Redis
	readyGauge    prometheus.Gauge
	writableGauge prometheus.Gauge
	logger        *slog.Logger

	mu       sync.Mutex
	begun    int // number of checks begun
	judged   int // number of the latest judged check; 0 before the first
	ready    bool
	readOnly bool
	stopping bool
}

// NewReadiness returns the Readiness of a node that works with redis. Its state is
// unknown before the first Check.
func NewReadiness(m *Metrics, logger *slog.Logger, redis Redis) *Readiness {
	return &Readiness{redis: redis, readyGauge: m.ready, writableGauge: m.redisWritable, logger: logger}
}

// Check checks that Redis can be read, for a second at most. The error says why this node
// is not ready, and is for the log alone.
func (r *Readiness) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	r.mu.Lock()
	r.begun++
	look := r.begun
	r.mu.Unlock()
	err := r.redis.Readable(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err() // the caller hung up, which says nothing about Redis
	}
	return r.judge(ctx, look, err)
}

// judge keeps a check's result. Checks overlap: one that ends after a later one is out of
// date and ignored.
func (r *Readiness) judge(ctx context.Context, look int, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return errStopping
	}
	if look < r.judged {
		return err
	}
	known, was := r.judged > 0, r.ready
	r.judged, r.ready = look, err == nil
	switch {
	case known && was == r.ready:
	case r.ready:
		r.readyGauge.Set(1)
		r.logger.InfoContext(ctx, "ready: Redis is there")
	default:
		r.readyGauge.Set(0)
		r.logger.WarnContext(ctx, "not ready: Redis is away", "cause", err.Error())
	}
	return err
}

// ReadOnly reports whether Redis refused the last write check.
func (r *Readiness) ReadOnly() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readOnly
}

// tryWrite checks whether Redis takes writes. A node whose Redis does not is still ready:
// reads go on, and another node would not do better.
func (r *Readiness) tryWrite(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	err := r.redis.Writable(asking)
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.readOnly
	r.readOnly = err != nil
	switch {
	case err == nil && was:
		r.logger.InfoContext(ctx, "Redis takes writes again")
	case err != nil && !was:
		r.logger.WarnContext(ctx, "Redis takes no writes", "cause", err.Error())
	}
	r.writableGauge.Set(1)
	if r.readOnly {
		r.writableGauge.Set(0)
	}
}

// Watch checks at once and then every second until ctx ends, so that a change is reported
// even if nobody asks.
func (r *Readiness) Watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if r.Check(ctx) == nil { // else it has logged the failure
			r.tryWrite(ctx)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Stop makes this node not ready from now on: it ends.
func (r *Readiness) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	r.readyGauge.Set(0)
}
