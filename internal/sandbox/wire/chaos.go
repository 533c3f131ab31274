package wire

import (
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Chaos makes faults of a share of all calls. Its seed decides: since it was set, the n-th
// call of an operation has the same fault each time.
type Chaos struct {
	Rate     float64          // of all calls, from 0 to 1
	Delay    [2]time.Duration // the least and the most; of the real time
	Statuses []int            // of errors
	Cut      bool             // some answers break off before they begin
	Seed     uint64
}

// kinds returns how many kinds of faults it has besides the delay: an error of each status,
// and a connection that closes.
func (c Chaos) kinds() int {
	n := len(c.Statuses)
	if c.Cut {
		n++
	}
	return n
}

// fault returns what happens to the n-th call of an operation; ok is false for nothing.
func (c Chaos) fault(operation string, n int) (fault Fault, ok bool) {
	name := fnv.New64a()
	_, _ = name.Write([]byte(operation))                                               // never fails
	random := rand.New(rand.NewPCG(c.Seed, name.Sum64()+uint64(n)*0x9e3779b97f4a7c15)) //nolint:gosec // it is to be repeatable
	if random.Float64() >= c.Rate {
		return Fault{}, false
	}
	fault = Fault{Operation: operation, Times: 1, Delay: c.Delay[0]}
	if span := c.Delay[1] - c.Delay[0]; span > 0 {
		fault.Delay += time.Duration(random.Int64N(int64(span) + 1))
	}
	if c.kinds() == 0 {
		return fault, true
	}
	if i := random.IntN(c.kinds()); i < len(c.Statuses) {
		fault.Reply = &Reply{Error: Refuse(c.Statuses[i], http.StatusText(c.Statuses[i]))}
	} else {
		fault.Cut = new(int)
	}
	return fault, true
}

// chaotic is the chaos that is on, if any, and counts the calls since then. It is safe for
// concurrent use.
type chaotic struct {
	mu    sync.Mutex
	on    *Chaos
	calls map[string]int
}

// SetChaos makes faults from now on; nil ends them.
func (f *Faults) SetChaos(c *Chaos) {
	f.chaos.mu.Lock()
	defer f.chaos.mu.Unlock()
	f.chaos.on, f.chaos.calls = c, map[string]int{}
}

// Chaos returns the chaos that is on, or nil.
func (f *Faults) Chaos() *Chaos {
	f.chaos.mu.Lock()
	defer f.chaos.mu.Unlock()
	if f.chaos.on == nil {
		return nil
	}
	c := *f.chaos.on
	c.Statuses = slices.Clone(c.Statuses)
	return &c
}

// next counts a call, and returns its fault.
func (c *chaotic) next(operation string) (Fault, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on == nil {
		return Fault{}, false
	}
	n := c.calls[operation]
	c.calls[operation] = n + 1
	return c.on.fault(operation, n)
}
