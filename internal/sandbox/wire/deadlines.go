package wire

import (
	"slices"
	"time"
)

// Deadlines are the times at which what a service stores changes by itself, the soonest
// first, and those of one time in the order in which they were added. The zero value has
// none.
type Deadlines struct{ all []deadline }

type deadline struct {
	at time.Time
	id string
}

// Add adds a deadline of the object with that id. Earlier ones of the object stay.
func (d *Deadlines) Add(at time.Time, id string) {
	i, _ := slices.BinarySearchFunc(d.all, at, func(one deadline, at time.Time) int {
		if one.at.After(at) {
			return 1
		}
		return -1
	})
	d.all = slices.Insert(d.all, i, deadline{at, id})
}

// Take takes the soonest deadline, if over reports that its time has come, and returns the id
// of its object; ok is false if there is none.
func (d *Deadlines) Take(over func(at time.Time) bool) (id string, ok bool) {
	if len(d.all) == 0 || !over(d.all[0].at) {
		return "", false
	}
	id = d.all[0].id
	d.all = d.all[1:]
	return id, true
}
