package inspector

import (
	"net/http"
	"slices"
	"time"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// Count is how many packages or verifications have a state.
type Count struct {
	State  string
	Number int
}

// View is what the first page shows.
type View struct {
	Now           time.Time // the platform's clock
	Journal       []wire.Entry
	Messages      []outbox.Message
	People        []people.Person
	Pushes        []identity.Push
	Faults        []wire.Fault
	Chaos         *wire.Chaos
	Packages      []Count
	Verifications []Count
}

// shown limits the rows of a table of the newest.
const shown = 100

// Page returns the first page, the newest calls and messages first.
func Page(v View) http.Handler {
	v.Journal, v.Messages = newest(v.Journal), newest(v.Messages)
	return page("index.html", v, http.StatusOK)
}

func newest[T any](all []T) []T {
	all = slices.Clone(all[max(len(all)-shown, 0):])
	slices.Reverse(all)
	return all
}

// Counts returns how many there are of each state, by its name.
func Counts(states []string) []Count {
	var counts []Count
	slices.Sort(states)
	for _, state := range states {
		if n := len(counts); n > 0 && counts[n-1].State == state {
			counts[n-1].Number++
		} else {
			counts = append(counts, Count{state, 1})
		}
	}
	return counts
}
