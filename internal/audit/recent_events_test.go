package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal/sealtest"
)

const alice, bob = "alice@sandbox", "bob@sandbox"

// brought records events and waits until Redis has them.
func brought(t *testing.T, trail *audit.Trail, events ...audit.Event) {
	t.Helper()
	for _, e := range events {
		trail.Record(t.Context(), e)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // Run then writes the waiting events
	trail.Run(ended)
}

func recent(t *testing.T, trail *audit.Trail, person string) (told []string) {
	t.Helper()
	list, err := trail.Recent(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		told = append(told, strings.TrimSpace(string(e.Kind)+" "+e.Device))
	}
	return told
}

// A person sees only their own events, the newest first, 20 at most; failed attempts of
// outsiders do not push out the person's actions.
func TestRecent_OwnEventsOnly(t *testing.T) {
	clock := time.Unix(1_800_000_000, 0)
	trail := trailOf(t, audit.Options{Redis: dbtest.Embedded(t).Client, Now: func() time.Time { clock = clock.Add(time.Second); return clock }})
	for i := range 30 {
		brought(t, trail, audit.Event{Kind: audit.SteppedUp, Person: alice, Device: fmt.Sprint(i)})
	}
	brought(t, trail, audit.Event{Kind: audit.SignedIn, Person: bob, Device: "bob's"}, audit.Event{Kind: audit.PackageChanged, Person: bob})
	if got := fmt.Sprint(recent(t, trail, bob)); got != "[sign-in.accepted bob's]" {
		t.Errorf("bob sees %s", got)
	}
	var tries []audit.Event
	for range 40 {
		tries = append(tries, audit.Event{Kind: audit.SignInRefused, Person: bob, Device: "an outsider's"})
	}
	brought(t, trail, tries...)
	if got := recent(t, trail, bob); len(got) != 6 || got[0] != "sign-in.refused an outsider's" || got[5] != "sign-in.accepted bob's" {
		t.Errorf("after an outsider's tries bob sees %q", got)
	}
	if got := recent(t, trail, alice); len(got) != 20 || got[0] != "sign-in.step-up 29" || got[19] != "sign-in.step-up 10" {
		t.Errorf("alice sees %d: %q", len(got), got)
	}
	if got := recent(t, trail, "alice@sandbo"); got != nil {
		t.Errorf("somebody else sees %q", got)
	}
}

// The lists in Redis reveal nothing without the keys, and open under their own Redis key
// alone.
func TestRecent_Sealed(t *testing.T) {
	client := dbtest.Embedded(t).Client
	trail := trailOf(t, audit.Options{Redis: client})
	brought(t, trail,
		audit.Event{Kind: audit.SignedIn, Person: alice, Device: "A phone", Address: "192.0.2.7"},
		audit.Event{Kind: audit.SignedIn, Person: bob, Device: "A desk"})
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 2 {
		t.Fatalf("keys %q, %v", keys, err)
	}
	for i, name := range keys {
		if ttl := client.TTL(t.Context(), name).Val(); ttl <= 0 {
			t.Errorf("%s stays for ever: %v", name, ttl)
		}
		values := client.LRange(t.Context(), name, 0, -1).Val()
		for _, secret := range []string{"alice", "bob", "phone", "desk", "192.0.2.7", "\xc0\x00\x02\x07", "sign-in"} {
			if strings.Contains(name+fmt.Sprint(values), secret) {
				t.Errorf("Redis tells %q", secret)
			}
		}
		other := keys[1-i]
		if err := client.RPush(t.Context(), other, values[0]).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(recent(t, trail, alice), recent(t, trail, bob)); got != "[sign-in.accepted A phone] [sign-in.accepted A desk]" {
		t.Errorf("exchanged, they say %s", got)
	}
	outsider := trailOf(t, audit.Options{Redis: client, Keys: sealtest.Keys(key(9))})
	if got := recent(t, outsider, alice); got != nil {
		t.Errorf("another key opens %q", got)
	}
}

// While the session keys are changed, events stored under the old one are still shown.
func TestRecent_KeyRotation(t *testing.T) {
	client := dbtest.Embedded(t).Client
	brought(t, trailOf(t, audit.Options{Redis: client}), audit.Event{Kind: audit.SignedIn, Person: alice, Device: "before"})
	rotated := trailOf(t, audit.Options{Redis: client, Keys: sealtest.Keys(key(2), key(1))})
	brought(t, rotated, audit.Event{Kind: audit.SignedOut, Person: alice, Device: "after"})
	if got := recent(t, rotated, alice); len(got) != 2 {
		t.Errorf("alice sees %q", got)
	}
}

// A stream has every event, of any kind.
func TestStream_EveryEvent(t *testing.T) {
	client := dbtest.Embedded(t).Client
	trail := trailOf(t, audit.Options{Redis: client, Stream: "trail"})
	brought(t, trail, audit.Event{Kind: audit.SignInRefused}, audit.Event{Kind: audit.PackageChanged, Person: bob, OnBehalfOf: alice})
	entries, err := client.XRange(t.Context(), "trail", "-", "+").Result()
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	if line := fmt.Sprint(entries[1].Values["event"]); !strings.Contains(line, `"event":"package.changed","person":"bob@sandbox","onBehalfOf":"alice@sandbox"`) {
		t.Errorf("the entry is %s", line)
	}
}

// While Redis is away, each event of a stream goes to the log, and no request waits.
func TestStream_RedisUnavailable(t *testing.T) {
	db, err := redisdb.Open(redisdb.Options{Embedded: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	var mu sync.Mutex
	lost := 0
	trail := trailOf(t, audit.Options{
		Redis: db.Client, Stream: "trail", Logger: slog.New(slog.NewJSONHandler(&log, nil)),
		Lost: func() { mu.Lock(); defer mu.Unlock(); lost++ },
	})
	var events []audit.Event
	for range 5000 { // more than may wait for Redis
		events = append(events, audit.Event{Kind: audit.SignedOut, Person: alice})
	}
	brought(t, trail, events...)
	if n := strings.Count(log.String(), `"msg":"audit event not written"`); n != 5000 || lost != 5000 {
		t.Errorf("%d in the log, %d lost", n, lost)
	}
}
