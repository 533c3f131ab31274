// Package historytest records what nodes were asked and answered, with the times, and has a
// checker of linearizability judge it by small models: a ceremony is spent once, and
// so is a proof; what ended stays ended; and a key makes one package. It contains what the tests share.
package historytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Thing is what an event is about.
type Thing string

// The things, each of which has a model.
const (
	Ceremony Thing = "ceremony"
	Session  Thing = "session"
	Key      Thing = "key"
	Proof    Thing = "proof" // of a bound session
)

// Said is what an answer says of its thing.
type Said string

// What answers say. The models tell which of them may follow which.
const (
	Begun    Said = "begun"    // it is there, and not spent
	Used     Said = "used"     // the session was there
	Accepted Said = "accepted" // the ceremony or proof was there and is spent, whatever the platform thought of it
	Ended    Said = "ended"    // the session is over
	Over     Said = "over"     // the ceremony or proof is spent, or the session not there any more
	Unknown  Said = "unknown"  // there is no such ceremony: it may have expired
	Made     Said = "made"     // the key's package has this id
	Counted  Said = "counted"  // so many packages were made
	Unclear  Said = "unclear"  // there was no answer, or one that leaves it open
)

// Event is a question with its answer.
type Event struct {
	Thing    Thing     `json:"thing"`
	ID       string    `json:"id"` // of the thing: events of different ones are independent
	Said     Said      `json:"said"`
	Package  string    `json:"package,omitempty"` // with Made
	Count    int       `json:"count,omitempty"`   // with Counted
	Asked    time.Time `json:"asked"`
	Answered time.Time `json:"answered"`
}

// Failover is the time in which a replica took over from its master, until every node
// knew.
type Failover struct{ Began, Known time.Time }

// Recorder collects events. It is safe for concurrent use.
type Recorder struct {
	mu        sync.Mutex
	events    map[subject][]Event
	failovers []Failover
}

type subject struct {
	thing Thing
	id    string
}

// Note records an event, which was answered now unless it says when. One that says
// nothing is left out.
func (r *Recorder) Note(e Event) {
	if e.Said == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events == nil {
		r.events = map[subject][]Event{}
	}
	if e.Answered.IsZero() {
		e.Answered = time.Now()
	}
	of := subject{e.Thing, e.ID}
	r.events[of] = append(r.events[of], e)
}

// FailedOver records that a replica took over.
func (r *Recorder) FailedOver(f Failover) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failovers = append(r.failovers, f)
}

// Violation is a thing whose events no order explains.
type Violation struct {
	Thing  Thing
	ID     string
	Events []Event // in the order in which they were asked
}

// String lists the events.
func (v Violation) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %.12s:", v.Thing, v.ID)
	for _, e := range v.Events {
		since := func(at time.Time) time.Duration { return at.Sub(v.Events[0].Asked).Round(time.Millisecond / 10) }
		fmt.Fprintf(&text, "\n  %8v to %8v: %s %s", since(e.Asked), since(e.Answered), e.Said, e.Package)
		if e.Said == Counted {
			fmt.Fprintf(&text, "%d", e.Count)
		}
	}
	return text.String()
}

// judgeWithin limits how long one thing is judged. What takes longer counts as violated:
// the events of one are few.
const judgeWithin = 30 * time.Second

// Judge judges every thing and forgets it. events says how many events there were.
func (r *Recorder) Judge() (events int, found []Violation) { return r.judge(time.Now()) }

// JudgeQuiet judges and forgets the things that nothing was asked of since that time.
func (r *Recorder) JudgeQuiet(since time.Time) (events int, found []Violation) {
	return r.judge(since)
}

func (r *Recorder) judge(before time.Time) (count int, found []Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for of, events := range r.events {
		slices.SortFunc(events, func(a, b Event) int { return a.Asked.Compare(b.Asked) })
		if events[len(events)-1].Answered.After(before) {
			continue
		}
		delete(r.events, of)
		count += len(events)
		if porcupine.CheckOperationsTimeout(models[of.thing], operations(events, r.failovers), judgeWithin) != porcupine.Ok {
			found = append(found, Violation{of.thing, of.id, events})
		}
	}
	slices.SortFunc(found, func(a, b Violation) int { return cmp.Or(cmp.Compare(a.Thing, b.Thing), cmp.Compare(a.ID, b.ID)) })
	return count, found
}

// WriteTo writes the events as lines of JSON, thing by thing.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	written := &counter{Writer: w}
	lines := json.NewEncoder(written)
	subjects := slices.SortedFunc(maps.Keys(r.events), func(a, b subject) int {
		return cmp.Or(cmp.Compare(a.thing, b.thing), r.events[a][0].Asked.Compare(r.events[b][0].Asked))
	})
	for _, of := range subjects {
		for _, e := range r.events[of] {
			if err := lines.Encode(e); err != nil {
				return written.bytes, err
			}
		}
	}
	return written.bytes, nil
}

type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes += int64(n)
	return n, err
}

// operations are the events as the checker takes them, with what failovers may have done.
func operations(events []Event, failovers []Failover) []porcupine.Operation {
	var all []porcupine.Operation
	add := func(e Event, from, to int64) {
		all = append(all, porcupine.Operation{ClientId: len(all), Input: e, Call: from, Return: to})
	}
	for _, e := range events {
		to := e.Answered.UnixNano()
		if e.Said == Unclear {
			to = math.MaxInt64 // it may take effect whenever it gets through
		}
		add(e, e.Asked.UnixNano(), to)
	}
	for _, f := range failovers {
		for _, said := range f.mayForget(events) {
			add(Event{Said: said}, f.Began.UnixNano(), f.Known.UnixNano())
		}
		add(Event{Said: repaired}, f.Known.Add(repairedWithin).UnixNano(), f.Known.Add(repairedWithin).UnixNano())
	}
	return all
}
