package redisdb

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// repeatPause is the wait before a command that Redis did not run is sent again.
	repeatPause = 20 * time.Millisecond
	// lastWait limits the wait of a command after earlier ones of its request have used up the
	// time: a healthy instance answers within it.
	lastWait = 20 * time.Millisecond
)

// Budget is what the commands of a request have used up by waiting in vain, in nanoseconds. The next
// one has that much less time, until a command is answered: a request of many commands waits no
// longer for a silent Redis than a request of one. A context carries it under BudgetKey.
type Budget struct{ atomic.Int64 }

// BudgetKey is the key under which a context carries its *Budget.
type BudgetKey struct{}

// budgetFrom returns ctx's Budget; one that nobody else sees if it carries none.
func budgetFrom(ctx context.Context) *Budget {
	if w, ok := ctx.Value(BudgetKey{}).(*Budget); ok {
		return w
	}
	return &Budget{}
}

// guard is the client's outermost hook. It gives each command its deadline, and keeps
// go-redis from sending a command twice that must not be repeated: go-redis retries by
// the kind of error, in a cluster even with retries off, and never considers what the
// command does.
//
// A command that Redis refused to run, because its slot is moving, and one that was not sent,
// because its connection was dead, is sent again until the deadline, whatever the command does.
type guard struct {
	limit time.Duration
	// silent is called when a node did not answer; it may be nil.
	silent func(context.Context)
	// starved counts the commands that found no connection free in time. Later commands
	// of the same request have no time left to find one, and are not counted.
	starved *atomic.Uint32
}

var _ redis.Hook = guard{}

// DialHook changes nothing.
func (guard) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook guards one command.
func (g guard) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		begun := time.Now() //nolint:forbidigo // A connection's deadline is the machine's own time.
		ctx, cancel := g.deadline(ctx, begun)
		defer cancel()
		guarded := onceUnlessRead(cmd)
		err := next(ctx, guarded)
		for unsent(err) && ctx.Err() == nil || notRun(err) && pause(ctx) {
			err = next(ctx, guarded)
		}
		guarded.SetErr(err) // go-redis does so later
		g.report(ctx, begun, guarded)
		return err
	}
}

// ProcessPipelineHook guards a pipeline. A transaction is sent once: go-redis follows
// the moves of its slot by itself.
func (g guard) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		begun := time.Now() //nolint:forbidigo // A connection's deadline is the machine's own time.
		ctx, cancel := g.deadline(ctx, begun)
		defer cancel()
		guarded := make([]redis.Cmder, len(cmds))
		for i, cmd := range cmds {
			guarded[i] = onceUnlessRead(cmd)
		}
		err := next(ctx, guarded)
		for again := unsentOf(guarded); len(again) > 0 && ctx.Err() == nil; again = unsentOf(again) {
			sendAgain(ctx, next, again)
			err = firstError(guarded)
		}
		for again := notRunOf(guarded); len(again) > 0 && pause(ctx); again = notRunOf(again) {
			sendAgain(ctx, next, again)
			err = firstError(guarded)
		}
		g.report(ctx, begun, guarded...)
		return err
	}
}

// sendAgain sends commands that did not run. Each has its own error afterwards: go-redis leaves
// one that is there already, although the command has been sent meanwhile.
func sendAgain(ctx context.Context, next redis.ProcessPipelineHook, cmds []redis.Cmder) {
	for _, cmd := range cmds {
		cmd.SetErr(nil)
	}
	_ = next(ctx, cmds)
}

// report notes whether the nodes answered cmds, which were sent at begun.
func (g guard) report(ctx context.Context, begun time.Time, cmds ...redis.Cmder) {
	waited := budgetFrom(ctx)
	if !slices.ContainsFunc(cmds, unanswered) {
		waited.Store(0)
		return
	}
	if slices.ContainsFunc(cmds, unconnected) && waited.Load() == 0 {
		g.starved.Add(1)
	}
	waited.Add(int64(time.Since(begun))) //nolint:forbidigo // A connection's deadline is the machine's own time.
	if g.silent != nil {
		g.silent(ctx)
	}
}

// unanswered reports whether a node did not answer cmd. Redis's own refusals are answers,
// and a client that hung up does not count.
func unanswered(cmd redis.Cmder) bool {
	err := cmd.Err()
	_, refused := errors.AsType[redis.Error](err)
	return err != nil && !refused && !errors.Is(err, context.Canceled)
}

// unconnected reports whether cmd found no connection free in time. Time-outs of a
// connection and of a dial are different errors.
func unconnected(cmd redis.Cmder) bool {
	_, network := errors.AsType[*net.OpError](cmd.Err())
	return errors.Is(cmd.Err(), redis.ErrPoolTimeout) || errors.Is(cmd.Err(), context.DeadlineExceeded) && !network
}

// notRun reports whether err says that Redis did not run the command: its slot is moving
// (TRYAGAIN), or moved more often than go-redis follows (MOVED).
func notRun(err error) bool {
	reply, ok := errors.AsType[redis.Error](err)
	return ok && (strings.HasPrefix(reply.Error(), "TRYAGAIN ") || strings.HasPrefix(reply.Error(), "MOVED "))
}

// notRunOf returns the commands of a pipeline that Redis did not run; for a transaction,
// nil.
func notRunOf(cmds []redis.Cmder) (again []redis.Cmder) {
	for _, cmd := range cmds {
		if cmd.Name() == "multi" {
			return nil
		}
		if notRun(cmd.Err()) {
			again = append(again, cmd)
		}
	}
	return again
}

// unsentOf returns the commands of a pipeline that were not sent; all of them for a transaction.
func unsentOf(cmds []redis.Cmder) (again []redis.Cmder) {
	for _, cmd := range cmds {
		switch {
		case unsent(cmd.Err()) && cmds[0].Name() == "multi":
			return cmds
		case unsent(cmd.Err()):
			again = append(again, cmd)
		}
	}
	return again
}

func firstError(cmds []redis.Cmder) error {
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil {
			return err
		}
	}
	return nil
}

// pause waits before a repetition. It returns false if the deadline comes first.
func pause(ctx context.Context) bool {
	if at, ok := ctx.Deadline(); ok && time.Until(at) < repeatPause { //nolint:forbidigo // A connection's deadline is the machine's own time.
		return false
	}
	select {
	case <-time.After(repeatPause):
		return true
	case <-ctx.Done():
		return false
	}
}

// deadline gives ctx the deadline of commands that begin now. A command with less time
// than limit, because earlier ones were not answered, needs a timer: the pool's own
// time-out is the full limit.
func (g guard) deadline(ctx context.Context, now time.Time) (context.Context, context.CancelFunc) {
	left := min(g.limit, max(lastWait, g.limit-time.Duration(budgetFrom(ctx).Load())))
	at := now.Add(left)
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(at) {
		return ctx, func() {}
	}
	if left < g.limit {
		return context.WithDeadline(ctx, at)
	}
	return deadlineContext{ctx, at}, func() {}
}

// deadlineContext is a context whose deadline is checked but wakes nobody up. Unlike
// context.WithDeadline's, it needs no timer, which every command would have to start and
// stop. The connection is given the deadline, the pool has a time-out of the same length,
// and anything begun after the deadline, such as another try, finds the context ended. It
// also ends when its parent does.
type deadlineContext struct {
	context.Context
	at time.Time
}

// Deadline returns the time at which the connection gives the command up.
func (t deadlineContext) Deadline() (time.Time, bool) { return t.at, true }

// Done returns a closed channel after the deadline, and the parent's channel before.
func (t deadlineContext) Done() <-chan struct{} {
	if t.past() {
		return over
	}
	return t.Context.Done()
}

// Err returns why the context has ended, or nil.
func (t deadlineContext) Err() error {
	if err := t.Context.Err(); err != nil {
		return err
	}
	if t.past() {
		return context.DeadlineExceeded
	}
	return nil
}

func (t deadlineContext) past() bool { return !time.Now().Before(t.at) } //nolint:forbidigo // A connection's deadline is the machine's own time.

// over is a closed channel.
var over = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// reads are the commands that may be sent again: they change nothing.
var reads = map[string]bool{
	"get": true, "mget": true, "getrange": true, "strlen": true, "exists": true, "ttl": true, "pttl": true, "scan": true,
	"hget": true, "hmget": true, "hgetall": true, "hlen": true, "hexists": true, "hscan": true,
	"zrange": true, "zrevrange": true, "zrangebyscore": true, "zrevrangebyscore": true, "zscore": true, "zcard": true, "zcount": true, "zscan": true,
	"smembers": true, "sismember": true, "scard": true, "sscan": true, "lrange": true, "llen": true,
	"ping": true, "time": true, "dbsize": true,
	// go-redis needs a transaction's MULTI and EXEC unchanged. The commands between them
	// are guarded; one that must not be repeated keeps them all from being repeated.
	"multi": true, "exec": true,
}

func isRead(cmd redis.Cmder) bool { return reads[cmd.Name()] }

func onceUnlessRead(cmd redis.Cmder) redis.Cmder {
	if isRead(cmd) {
		return cmd
	}
	return once{cmd}
}

// once is a command that go-redis sends at most one time. It still follows a cluster's
// redirection: the redirecting node did not run the command.
type once struct{ redis.Cmder }

// NoRetry tells go-redis not to retry the command.
func (once) NoRetry() bool { return true }
