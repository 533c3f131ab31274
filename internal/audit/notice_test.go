package audit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/i18n"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/safetext"
	"countersign/internal/seal/sealtest"
)

// The name of a package is isolated in the subject and in the text, in every language, and
// cannot turn or end anything.
func TestNotice_PackageNameIsolated(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	store := audit.NewPreferenceStore(dbtest.Embedded(t).Client, sealtest.Keys(bytes.Repeat([]byte{1, 2}, 16)))
	var sent audit.Letter
	notices := audit.NewNotices(audit.Notices{
		Send:   func(_ context.Context, l audit.Letter) error { sent = l; return nil },
		Bundle: bundle, Host: "sign.example", Preferences: store,
	})
	for _, language := range bundle.Languages() {
		for _, how := range []string{audit.Completed, audit.Declined, audit.Cancelled, audit.Expired} {
			end := audit.PackageEnd{Person: alice, Email: "alice@acme.com", How: how, Name: "Lease \u202efdp.exe\u2069", Link: "https://sign.example/packages/p", Language: language}
			if err := notices.TellOwner(t.Context(), end); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{sent.Subject, sent.Text} {
				if rest := strings.Replace(text, "\u2068Lease fdp.exe\u2069", "", 1); rest == text || rest != safetext.WithoutDirections(rest) {
					t.Errorf("%s, %s: %+q", language, how, text)
				}
			}
		}
	}
}

// A notice waits in Redis: what cannot be sent is tried again, by whichever node is there, counts
// once against the limit, and is given up with a line in the log.
func TestNotice_RetriedUntilGivenUp(t *testing.T) {
	client, log := dbtest.Embedded(t).Client, &logtest.Log{}
	keys := [][]byte{bytes.Repeat([]byte{1, 2}, 16)}
	var mu sync.Mutex
	now, down, sent, tried, counted := time.UnixMilli(1_800_000_000_000), true, 0, 0, 0
	node := func(keys ...[]byte) (stop func()) {
		store := audit.NewPreferenceStore(client, sealtest.Keys(keys...))
		bundle, err := i18n.New()
		if err != nil {
			t.Fatal(err)
		}
		clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
		notices := audit.NewNotices(audit.Notices{
			Send: func(_ context.Context, l audit.Letter) error {
				mu.Lock()
				defer mu.Unlock()
				if tried++; down || l.To != "alice@acme.com" {
					return errors.New("the mail server is away")
				}
				if want := "Chrome on Windows, 15 January 2027, 08:00 UTC, IP address 192.0.2.7."; !strings.Contains(l.Text, want) {
					t.Errorf("the notice lacks %q: %s", want, l.Text)
				}
				sent++
				return nil
			},
			Permit:   func(context.Context, string) error { mu.Lock(); defer mu.Unlock(); counted++; return nil },
			WithLock: func(ctx context.Context, work func(context.Context) error) error { return work(ctx) },
			Bundle:   bundle, Host: "sign.example", Preferences: store, Logger: slog.New(slog.NewTextHandler(log, nil)), Now: clock,
		})
		trail := audit.New(audit.Options{Log: io.Discard, Redis: client, Keys: sealtest.Keys(keys...), Notices: notices, Observe: func(audit.Event) {}, Lost: func() {}, Logger: slog.New(slog.DiscardHandler), Now: clock})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { trail.Run(ctx) })
		running.Go(func() { notices.Run(ctx) })
		trail.Record(t.Context(), audit.Event{
			Kind: audit.AuthenticatorRegistered, Person: alice, Email: "alice@acme.com", Language: "en", At: time.UnixMilli(1_800_000_000_000),
			Address: "192.0.2.7", Device: "Mozilla/5.0 (Windows NT 10.0) Chrome/156.0 Safari/537.36",
		})
		return func() { cancel(); running.Wait() }
	}
	reach := func(wantTried, wantSent int) {
		t.Helper()
		redistest.Eventually(t, "the attempts", func() bool { mu.Lock(); defer mu.Unlock(); return tried == wantTried && sent == wantSent })
	}
	later := func(by time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(by) }
	stop := node(keys...)
	reach(1, 0)
	redistest.Eventually(t, "it is said why it waits", func() bool { return strings.Contains(log.String(), "the mail server is away") })
	later(10 * time.Second)
	reach(2, 0)
	stop()
	mu.Lock()
	down = false
	mu.Unlock()
	stop = node(append([][]byte{bytes.Repeat([]byte{3, 4}, 16)}, keys...)...) // its own notice is sent at once
	reach(3, 1)
	later(time.Minute)
	reach(4, 2)
	mu.Lock()
	down = true
	mu.Unlock()
	stop()
	stop = node(keys...)
	reach(5, 2)
	for i, pause := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour} {
		later(pause)
		reach(6+i, 2)
	}
	redistest.Eventually(t, "it is given up", func() bool { return strings.Count(log.String(), "notice not sent") == 1 })
	stop()
	if counted != 3 || strings.Contains(log.String(), "alice@acme.com") {
		t.Errorf("counted %d, the log says %s", counted, log.String())
	}
}
