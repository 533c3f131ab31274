package events_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/events"
)

// The number of a topic stays while its content does and grows with a new one: on all
// nodes, where a clock is slow, and after Redis has forgotten everything.
func TestRevisions_Grow(t *testing.T) {
	n := newNode(t, 10)
	at := time.UnixMilli(1_700_000_000_000)
	numbers := events.Revisions{Redis: n.redis.Client, Key: []byte("secret"), Now: func() time.Time { return at }}
	slow := numbers
	slow.Now = func() time.Time { return at.Add(-time.Hour) }
	of := func(r events.Revisions, topic, content string) int64 {
		t.Helper()
		number, err := r.Of(t.Context(), topic, []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	first := of(numbers, "one", "a")
	if first != at.UnixMilli() {
		t.Errorf("it begins with %d", first)
	}
	for _, r := range []events.Revisions{numbers, slow} {
		if got := of(r, "one", "a"); got != first {
			t.Errorf("the same content is %d, not %d", got, first)
		}
	}
	last := first
	for _, content := range []string{"b", "a", "b"} {
		got := of(slow, "one", content)
		if got <= last {
			t.Errorf("%s is %d after %d", content, got, last)
		}
		last = got
	}
	if got := of(numbers, "two", "b"); got != first {
		t.Errorf("another topic is %d", got)
	}
	if err := n.redis.Client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	at = at.Add(time.Second)
	if got := of(numbers, "one", "b"); got <= last {
		t.Errorf("after Redis forgot it is %d, not above %d", got, last)
	}
}

// Redis does not reveal which topic a number belongs to, and another key gives another
// name.
func TestRevisions_HideTopics(t *testing.T) {
	n := newNode(t, 10)
	for _, key := range []string{"one", "two"} {
		r := events.Revisions{Redis: n.redis.Client, Key: []byte(key), Now: time.Now}
		if _, err := r.Of(t.Context(), "package of bob", []byte("bob@sandbox.example")); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for _, key := range n.redis.Client.Keys(t.Context(), "*").Val() {
		value := n.redis.Client.Get(t.Context(), key).Val()
		if strings.Contains(key+value, "bob") {
			t.Errorf("Redis has %s: %s", key, value)
		}
		_, mark, _ := strings.Cut(value, " ")
		seen[key], seen[mark] = true, true
	}
	if len(seen) != 4 {
		t.Errorf("two keys name and mark it alike: %v", seen)
	}
}
