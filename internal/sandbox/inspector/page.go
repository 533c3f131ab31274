package inspector

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// State is how many packages or verifications have a state, and the newest of them.
type State struct {
	Name   string
	Number int
	Newest []wire.Held
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
	Operations    []string // that can have a fault
	Packages      []State
	Verifications []State
}

// named limits what is named of each state.
const named = 20

// Page returns the first page, the newest calls and messages first.
func Page(v View) http.Handler {
	v.Journal, v.Messages = newest(v.Journal), newest(v.Messages)
	return page("index.html", v, http.StatusOK)
}

func newest[T any](all []T) []T {
	all = slices.Clone(all[max(len(all)-wire.Recent, 0):])
	slices.Reverse(all)
	return all
}

// States returns what is held by its state, in the order of the states' names.
func States(held []wire.Held) []State {
	slices.SortStableFunc(held, func(a, b wire.Held) int { return cmp.Or(cmp.Compare(a.State, b.State), b.Since.Compare(a.Since)) })
	var states []State
	for _, one := range held {
		if n := len(states); n == 0 || states[n-1].Name != one.State {
			states = append(states, State{Name: one.State})
		}
		state := &states[len(states)-1]
		if state.Number++; state.Number <= named {
			state.Newest = append(state.Newest, one)
		}
	}
	return states
}
