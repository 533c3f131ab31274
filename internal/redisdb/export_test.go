package redisdb

// What tests of Repeats count by.
const (
	RepeatTimes   = repeatTimes
	RepeatsAtMost = repeatsAtMost
)

// Kept is how many scripts r repeats.
func Kept(r *Repeats) int { return len(r.kept) }
