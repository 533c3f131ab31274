package redisdb

import "context"

// What tests of Repeats count by.
const (
	RepeatLooks   = repeatLooks
	RepeatTimes   = repeatTimes
	RepeatsAtMost = repeatsAtMost
)

// Kept is how many scripts r keeps.
func Kept(r *Repeats) int { return len(r.now()) }

// Look has r look once whether Redis has to be told again.
func Look(ctx context.Context, r *Repeats) { r.look(ctx) }
