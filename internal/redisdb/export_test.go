package redisdb

import "context"

// The limits that tests of FailoverReplay count with.
const (
	RepeatLooks   = repeatLooks
	RepeatTimes   = repeatTimes
	RepeatsAtMost = repeatsAtMost
)

// Kept returns the number of scripts that r keeps.
func Kept(r *FailoverReplay) int { return len(r.list()) }

// Look lets r check once whether scripts have to be repeated.
func Look(ctx context.Context, r *FailoverReplay) { r.check(ctx) }

// Opaque hides the sockets of o's connections from go-redis, as TLS does.
func Opaque(o Options) Options {
	o.opaque = true
	return o
}
