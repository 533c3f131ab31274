package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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

// errRefused is the error of Check while Redis refuses a command or a key.
var errRefused = errors.New("Redis refuses a command or a key")

// Redis is the database that a node needs. The errors say why it cannot be used.
type Redis interface {
	// Readable checks that all data in Redis can be read.
	Readable(context.Context) error
	// Writable checks that Redis takes writes everywhere.
	Writable(context.Context) error
	// CheckPermissions returns which commands Redis refuses to its user, whatever they are to do;
	// "" for none. The error says that it could not be asked.
	CheckPermissions(context.Context) (refused string, err error)
}

// Readiness knows whether this node can do its work, for which it must read from Redis and may
// not lack a command, and whether Redis takes writes. It reports each change once: in the log, with its
// cause, and in the metrics countersign_ready and countersign_redis_writable. It is safe
// for concurrent use.
type Readiness struct {
	redis         Redis
	readyGauge    prometheus.Gauge
	writableGauge prometheus.Gauge
	logger        *slog.Logger
	// hints returns why live pages are not told of changes; nil if they are.
	hints func() error

	first    sync.Mutex // held while it is first asked what Redis permits
	mu       sync.Mutex
	begun    int // number of checks begun
	judged   int // number of the latest judged check; 0 before the first
	ready    bool
	readOnly bool
	stopping bool
	asked    bool  // whether it is known what Redis permits
	refused  error // what it does not
}

// NewReadiness returns the Readiness of a node that works with redis. Its state is
// unknown before the first Check. hints returns why live pages are not told of changes; nil if
// they are.
func NewReadiness(m *Metrics, logger *slog.Logger, redis Redis, hints func() error) *Readiness {
	return &Readiness{redis: redis, hints: hints, readyGauge: m.ready, writableGauge: m.redisWritable, logger: logger}
}

// Check checks that Redis can be read, for a second at most, and that it permits what is needed. The error says why this node
// is not ready, and is for the log alone.
func (r *Readiness) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	r.mu.Lock()
	r.begun++
	look := r.begun
	r.mu.Unlock()
	err := r.permission(ctx, false)
	if err == nil {
		err = r.redis.Readable(ctx)
	}
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
		what := "not ready: Redis is away"
		if errors.Is(err, errRefused) || strings.Contains(err.Error(), "NOPERM ") { // which a read may meet first
			what = "not ready: Redis refuses what is needed"
		}
		r.logger.WarnContext(ctx, what, "cause", err.Error())
	}
	return err
}

// permission returns what Redis does not permit, as it was last found out. It is asked again
// where nothing is known yet, or again says so.
func (r *Readiness) permission(ctx context.Context, again bool) error {
	if !again {
		r.first.Lock() // the others wait for the first answer
		defer r.first.Unlock()
	}
	r.mu.Lock()
	asked, known := r.asked, r.refused
	r.mu.Unlock()
	if asked && !again {
		return known
	}
	refused, err := r.redis.CheckPermissions(ctx)
	if err != nil {
		return known // an outage, which Readable finds
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked, r.refused = true, nil; refused != "" {
		r.refused = fmt.Errorf("%w: %s", errRefused, refused)
	}
	return r.refused
}

// ReadOnly reports whether Redis refused the last write check.
func (r *Readiness) ReadOnly() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readOnly
}

// told returns what /readyz says of a node that is ready.
func (r *Readiness) told() (text string) {
	if r.ReadOnly() {
		text = "ready, but Redis refuses writes\n"
	}
	if r.hints() != nil {
		text += "ready, but Redis refuses messages, so live pages are slower\n"
	}
	return cmp.Or(text, "ready\n")
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
		r.logger.WarnContext(ctx, "Redis refuses writes", "cause", err.Error())
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
		asking, cancel := context.WithTimeout(ctx, readyWithin)
		_ = r.permission(asking, true) // Check returns it
		cancel()
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
