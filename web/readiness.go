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
	// lookEvery is how often Watch looks, when nobody asks.
	lookEvery = 3 * time.Second
)

// errStopping is why a program that was told to end is not ready.
var errStopping = errors.New("stopping")

// Readiness knows whether this node can do its work, which takes Redis, and
// tells of each change once: in the log, with its cause, and in the metric
// countersign_ready. It is safe for concurrent use.
type Readiness struct {
	ping   func(context.Context) error
	gauge  prometheus.Gauge
	logger *slog.Logger

	mu       sync.Mutex
	begun    int // looks begun
	judged   int // the latest of them that was judged; 0 while nothing is known
	ready    bool
	stopping bool
}

// NewReadiness is the Readiness of a node whose Redis answers ping. Nothing is
// known before the first Check.
func NewReadiness(m *Metrics, logger *slog.Logger, ping func(context.Context) error) *Readiness {
	return &Readiness{ping: ping, gauge: m.ready, logger: logger}
}

// Check looks at Redis, for a second at most. The error says why this node is
// not ready, and is for the log alone.
func (r *Readiness) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	r.mu.Lock()
	r.begun++
	look := r.begun
	r.mu.Unlock()
	err := r.ping(ctx)
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
		r.gauge.Set(1)
		r.logger.InfoContext(ctx, "ready: Redis is there")
	default:
		r.gauge.Set(0)
		r.logger.WarnContext(ctx, "not ready: Redis is away", "cause", err.Error())
	}
	return err
}

// Watch looks at once and then every few seconds until ctx ends, so that a
// change is told when nobody asks, too.
func (r *Readiness) Watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		_ = r.Check(ctx) // it has told the log
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
	r.gauge.Set(0)
}
