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
	// readyWithin bounds one look at Redis.
	readyWithin = time.Second
	// lookEvery is how often Watch looks. It is the pace of the tries to write, which
	// nobody's questions quicken.
	lookEvery = time.Second
)

// errStopping is why a program that was told to end is not ready.
var errStopping = errors.New("stopping")

// Redis is what a node needs for its work. The errors say why it is not to be had.
type Redis interface {
	// Readable asks whether all that Redis holds can be read.
	Readable(context.Context) error
	// Writable asks whether Redis takes writes everywhere.
	Writable(context.Context) error
}

// Readiness knows whether this node can do its work, which takes reading from Redis,
// and whether Redis takes writes too. It tells of each change once: in the log, with
// its cause, and in the metrics countersign_ready and countersign_redis_writable. It
// is safe for concurrent use.
type Readiness struct {
	redis         Redis
	readyGauge    prometheus.Gauge
	writableGauge prometheus.Gauge
	logger        *slog.Logger

	mu       sync.Mutex
	begun    int // looks begun
	judged   int // the latest of them that was judged; 0 while nothing is known
	ready    bool
	readOnly bool
	stopping bool
}

// NewReadiness is the Readiness of a node that works with redis. Nothing is known
// before the first Check.
func NewReadiness(m *Metrics, logger *slog.Logger, redis Redis) *Readiness {
	return &Readiness{redis: redis, readyGauge: m.ready, writableGauge: m.redisWritable, logger: logger}
}

// Check asks whether Redis can be read, for a second at most. The error says why this
// node is not ready, and is for the log alone.
func (r *Readiness) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	r.mu.Lock()
	r.begun++
	look := r.begun
	r.mu.Unlock()
	err := r.redis.Readable(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err() // who asked has hung up, which says nothing about Redis
	}
	return r.judge(ctx, look, err)
}

// judge keeps what a look found. Looks overlap: one that ends after a later one
// has nothing new to say.
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

// ReadOnly reports whether Redis took no writes when that was last tried.
func (r *Readiness) ReadOnly() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readOnly
}

// tryWrite asks whether Redis takes writes. A node whose Redis does not is ready:
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

// Watch looks at once and then every second until ctx ends, so that a change is told
// when nobody asks, too.
func (r *Readiness) Watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if r.Check(ctx) == nil { // it has told the log
			r.tryWrite(ctx)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Stop has this node be not ready from now on: it ends.
func (r *Readiness) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	r.readyGauge.Set(0)
}
