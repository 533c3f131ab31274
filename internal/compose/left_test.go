package compose_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/compose"
	"countersign/internal/seal"
)

// A ticket is its person's for a week, as it was made, under the keys it was made with.
func TestTicket(t *testing.T) {
	const week = 7 * 24 * time.Hour
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	with := func(key byte, at time.Time) *compose.Service {
		keys, err := seal.New([]byte(strings.Repeat(string(rune(key)), seal.KeyLength)))
		if err != nil {
			t.Fatal(err)
		}
		return &compose.Service{Keys: compose.NewKeys(keys), Now: func() time.Time { return at }}
	}
	ticket := with('a', now).Ticket("alice and bob@sandbox")
	for _, one := range []struct {
		name, ticket, want string
		key                byte
		later              time.Duration
	}{
		{name: "at once", ticket: ticket, key: 'a', want: "alice and bob@sandbox"},
		{name: "in its last second", ticket: ticket, key: 'a', later: week - time.Second, want: "alice and bob@sandbox"},
		{name: "after a week", ticket: ticket, key: 'a', later: week},
		{name: "under another key", ticket: ticket, key: 'b'},
		{name: "none", key: 'a'},
		{name: "its half", ticket: ticket[:len(ticket)/2], key: 'a'},
		{name: "padded", ticket: ticket + "=", key: 'a'},
		{name: "twice", ticket: ticket + ticket, key: 'a'},
	} {
		if got := with(one.key, now.Add(one.later)).Holder(one.ticket); got != one.want {
			t.Errorf("%s: it is %q's", one.name, got)
		}
	}
	for i := range ticket {
		other := "A"
		if ticket[i] == 'A' {
			other = "B"
		}
		if got := with('a', now).Holder(ticket[:i] + other + ticket[i+1:]); got != "" {
			t.Errorf("altered at %d it is %q's", i, got)
		}
	}
}
