package verification

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// Event is something that happened to a transaction; At is zero if the time is unknown.
type Event struct {
	Trigger string
	At      time.Time
}

// The triggers that the code distinguishes (docs/platform.md V5).
const (
	TriggerCreated = "transaction_created"
	triggerTrail   = "audit_trail_generated"
)

// Events returns what happened so far, leaving out what cannot be read.
func (t Transaction) Events() []Event {
	var seen struct {
		Events []struct {
			Trigger   string `json:"trigger"`
			Timestamp string `json:"timestamp"`
		} `json:"events"`
	}
	_ = payload.Unmarshal(t.Value, &seen)
	events := make([]Event, 0, len(seen.Events))
	for _, e := range seen.Events {
		at, _ := time.Parse(time.RFC3339, e.Timestamp)
		events = append(events, Event{e.Trigger, at})
	}
	return events
}

// HasTrail reports whether an audit trail has been made.
func (t Transaction) HasTrail() bool {
	return slices.ContainsFunc(t.Events(), func(e Event) bool { return e.Trigger == triggerTrail })
}

// Subject returns the name of the person being verified, "" if it cannot be read.
func (t Transaction) Subject() string {
	var known struct {
		Users []struct {
			First string `json:"first_name"`
			Last  string `json:"last_name"`
		} `json:"users"`
	}
	_ = payload.Unmarshal(t.Value, &known)
	if len(known.Users) == 0 {
		return ""
	}
	return strings.TrimSpace(known.Users[0].First + " " + known.Users[0].Last)
}

// FirstToken returns the first token of t with the address of its page. The error is
// verification.state if there is none, platform.failed if the page is not on Sites.
func (a Addresses) FirstToken(t Transaction) (Token, error) {
	if len(t.Tokens) == 0 {
		return Token{}, fault.New(fault.VerificationState)
	}
	token := t.Tokens[0]
	return token, a.Complete(&token, t.ID)
}
