// Package retention has the rule that removes packages and identity checks days after their
// end. A rule moves packages to the trash, or has identity checks erased, some days after
// their end, and says so a day before.
package retention

import (
	"context"
	"log/slog"
	"time"

	"countersign/internal/access"
	"countersign/internal/audit"
)

// Notice is the time from an announcement until what was announced happens, at least.
const Notice = 24 * time.Hour

// person is the actor of a rule in the audit trail.
const person = "retention"

// Rule is one rule. Everything but Clock is required.
type Rule struct {
	// After is how long after its end something goes.
	After time.Duration
	// Keep writes an audit event before anything follows from it, Record one that is done.
	Keep   func(ctx context.Context, e audit.Event) error
	Record func(ctx context.Context, e audit.Event)
	// Clock is a clock on another machine; nil asks none.
	Clock func(ctx context.Context) (time.Time, error)
	// Count counts what has come of so many objects.
	Count  func(result Result, n int)
	Logger *slog.Logger
	Now    func() time.Time
}

// Result is what has come of an object at which a rule has looked.
type Result string

// The results.
const (
	// Announced is told that it will go. A verification is announced by its mark.
	Announced Result = "announced"
	// Done has gone to the trash.
	Done Result = "done"
	// Withdrawn stays, since it changed after its announcement.
	Withdrawn Result = "withdrawn"
	// Deferred is a look that left something for a later one, since more is due than a rule takes
	// at once.
	Deferred Result = "deferred"
	// Refused was refused by the platform.
	Refused Result = "refused"
	// Failed could not be asked for, and is tried once more.
	Failed Result = "failed"
)

// Results returns all results.
func Results() []Result { return []Result{Announced, Done, Withdrawn, Deferred, Refused, Failed} }

// Ended returns the time before which something must have ended to be announced now.
func (r *Rule) Ended() time.Time { return r.Now().Add(Notice - r.After) }

// RemovalTime returns when an object is removed that ended at end and is announced now.
func (r *Rule) RemovalTime(end time.Time) time.Time {
	due, notice := end.Add(r.After), r.Now().Add(Notice)
	if due.Before(notice) {
		return notice
	}
	return due
}

// clockApart is how far this node's clock may be from another.
const clockApart = time.Hour

// Run does what is due by the rule; nil does nothing. It follows a sweep, so that one node does it
// at a time. An error is logged; the next sweep goes on.
func (r *Rule) Run(ctx context.Context, due func(context.Context) error) {
	if r == nil || !r.clockAgrees(ctx) {
		return
	}
	if err := due(ctx); err != nil && ctx.Err() == nil {
		r.Logger.WarnContext(ctx, "retention failed", "cause", err.Error())
	}
}

// Actor is the actor of the rule. It acts for owners, like an operator.
func (r *Rule) Actor(ctx context.Context) access.Actor {
	return access.Actor{Person: access.Person{User: person, Operator: true}, Journal: journal{ctx, r}}
}

// journal is the access.Journal of a rule.
type journal struct {
	ctx  context.Context
	rule *Rule
}

func (j journal) StepUp() error { return nil }

func (j journal) Record(e audit.Event) {
	e.Person = person
	j.rule.Record(j.ctx, e)
}

func (j journal) RecordFirst(e audit.Event) error {
	e.Person = person
	return j.rule.Keep(j.ctx, e)
}

func (j journal) Log(err error) {
	j.rule.Logger.WarnContext(j.ctx, "retention step failed", "cause", err.Error())
}

// Announce writes to the audit trail what the rule will do.
func (r *Rule) Announce(ctx context.Context, e audit.Event) error {
	e.Kind = audit.RetentionAnnounced
	return journal{ctx, r}.RecordFirst(e)
}

// clockAgrees reports whether this node's clock agrees with the other one. A clock that is wrong
// by days makes everything look old, so that a rule does nothing by it; the log says so.
func (r *Rule) clockAgrees(ctx context.Context) bool {
	if r.Clock == nil {
		return true
	}
	other, err := r.Clock(ctx)
	if err != nil {
		r.Logger.WarnContext(ctx, "retention deferred", "cause", err.Error())
		return false
	}
	if apart := r.Now().Sub(other).Abs(); apart > clockApart {
		r.Logger.ErrorContext(ctx, "retention deferred", "cause", "the clocks of this node and of Redis differ by "+apart.Round(time.Second).String())
		return false
	}
	return true
}
