package drill_test

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// tally counts the effects of one drill.
type tally struct {
	name string

	mu                     sync.Mutex
	answered, refused      int // 1xx to 3xx, 4xx
	unavailable, failed    int // 503, any other 5xx
	none                   int // requests without an answer
	slowest                time.Duration
	examples               []string // of failures
	sessionsLost, cutShort int      // cutShort are ceremonies that could no longer be finished
	cameBack, twice        int
}

// count counts an answer.
func (c *tally) count(of call, a answer, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slowest = max(c.slowest, took)
	switch {
	case a.status == 0:
		c.none++
	case a.status == 503:
		c.unavailable++
	case a.status >= 500:
		c.failed++
	case a.status >= 400:
		c.refused++
	default:
		c.answered++
	}
	if a.away() && len(c.examples) < 5 {
		c.examples = append(c.examples, fmt.Sprintf("%s %s: %d %.120s", of.method, of.path, a.status, a.body))
	}
}

// found increments one of the counts.
func (c *tally) found(count *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*count++
}

// broken returns an error if an absolute rule was violated. Only the full form requires
// that every ceremony can be finished later: it needs a machine that keeps up.
func (c *tally) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessionsLost+c.cameBack+c.twice == 0 && (c.cutShort == 0 || !*full) {
		return nil
	}
	return fmt.Errorf("%s: %d sessions lost, %d ceremonies lost, %d signed-out sessions came back, %d spent twice",
		c.name, c.sessionsLost, c.cutShort, c.cameBack, c.twice)
}

// unanswered returns the number of requests without an answer, which must be 0 in an
// operator's deliberate actions.
func (c *tally) unanswered() (int, []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.none, c.examples
}

const tableHead = `
| drill | requests | answered | refused | 503 | other 5xx | no answer | slowest | sessions lost | ceremonies lost | signed out, came back | spent twice |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

// row writes the tally as a row of the table.
func (c *tally) row(w io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %.1f s | %d | %d | %d | %d |\n", c.name,
		c.answered+c.refused+c.unavailable+c.failed+c.none, c.answered, c.refused, c.unavailable, c.failed, c.none,
		c.slowest.Seconds(), c.sessionsLost, c.cutShort, c.cameBack, c.twice)
}
