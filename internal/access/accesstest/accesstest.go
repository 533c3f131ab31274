// Package accesstest holds what the tests of both indexes share: people, keys and
// limits on look-ups.
package accesstest

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/ratelimit"

	"github.com/redis/go-redis/v9"
)

// Alice is a person.
func Alice() access.Person {
	return access.Person{User: "alice@sandbox", Email: "alice@corp.test"}
}

// Bob is another person.
func Bob() access.Person { return access.Person{User: "bob@sandbox", Email: "bob@corp.test"} }

// Carol is an operator.
func Carol() access.Person {
	return access.Person{User: "carol@sandbox", Email: "carol@corp.test", Operator: true}
}

// Journal is the journal of an actor who has just signed in.
type Journal struct {
	mu     sync.Mutex
	Events []audit.Event
	Logged []error
}

// StepUp asks for nothing.
func (*Journal) StepUp() error { return nil }

// Record adds to Events.
func (j *Journal) Record(e audit.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Events = append(j.Events, e)
}

// RecordFirst adds to Events.
func (j *Journal) RecordFirst(e audit.Event) error {
	j.Record(e)
	return nil
}

// Log adds to Logged.
func (j *Journal) Log(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Logged = append(j.Logged, err)
}

// Key returns an access key: 31 times b, and a zero.
func Key(b byte) []byte { return append(bytes.Repeat([]byte{b}, 31), 0) }

// Lookups returns a limit on the look-ups of a session; text is a rate such as 60/m.
func Lookups(t testing.TB, client redis.Cmdable, text string) func(context.Context, string) error {
	t.Helper()
	limit, err := ratelimit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	limiter := ratelimit.New(client, []byte("of the tests"))
	return func(ctx context.Context, session string) error {
		return limiter.Take(ctx, ratelimit.Count{Name: "lookup", Subject: session, Limit: limit})
	}
}
