package session_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"
)

// sizeBudget limits the bytes that a session takes in Redis, with its list entry, when
// there are a million of them.
const sizeBudget = 700

// TestSession_LargestSize measures the largest kind of session: the only one of its person, with long
// names and the longest user agent that is kept. It makes enough of them to fill Redis's
// hash tables as far as a million do, since a table doubles at once.
func TestSession_LargestSize(t *testing.T) {
	const sessions = 1_000_000 >> 6
	checked := func(store *session.Store, sess *session.Session, user session.User) error { // which adds to it
		return store.Answered(context.Background(), sess, user, time.Now().Add(11*time.Hour))
	}
	got, _, _ := populate(t, sessions, checked)
	t.Logf("a session whose account was checked takes %d bytes", got)
	if got > sizeBudget {
		t.Errorf("that is more than %d", sizeBudget)
	}
}

// use uses a session that has begun; nil does nothing.
type use func(*session.Store, *session.Session, session.User) error

// BenchmarkMillion compares a Redis of a million sessions with one of a thousand: how
// many sessions sixteen concurrent readers load in a second, reading all kinds in turn.
// It takes minutes to make them.
func BenchmarkMillion(b *testing.B) {
	const slices, slice = 24, 250 * time.Millisecond
	each, large, among := populate(b, 1_000_000, nil)
	_, small, few := populate(b, 1000, nil)
	var ratios []float64
	for b.Loop() {
		for range slices {
			ratios = append(ratios, loads(b, large, among, slice)/loads(b, small, few, slice))
		}
	}
	sort.Float64s(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(each), "bytes/session")
	b.ReportMetric(ratios[len(ratios)/2], "rate-ratio")
}

// loads returns the number of sessions loaded in a second.
func loads(b *testing.B, store *session.Store, tokens []string, long time.Duration) float64 {
	b.Helper()
	var total atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for worker := range workers {
		wg.Go(func() {
			for i := worker; time.Since(begin) < long; i += workers {
				request := httptest.NewRequest(http.MethodGet, "/session", nil)
				request.Header.Set("Cookie", sessiontest.CookieName+"="+tokens[i%len(tokens)])
				if _, ok, err := store.Load(request); err != nil || !ok {
					b.Error(ok, err)
					return
				}
				total.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(total.Load()) / time.Since(begin).Seconds()
}

const workers = 16

// populate fills a new Redis with so many sessions, and returns the store, the bytes that
// each takes, and the tokens of a thousand of them from all over.
func populate(t testing.TB, sessions int, afterwards use) (bytes int, store *session.Store, tokens []string) {
	t.Helper()
	db := dbtest.Open(t, redisdb.Options{URL: redistest.Start(t, "--appendonly", "no").URL(), Timeout: dbtest.Patience})
	store = newStore(t, db, time.Now)
	before := usedMemory(t, db)
	step := max(1, sessions/1000)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := worker; i < sessions; i += workers {
				sess, err := store.SignIn(context.Background(), session.SignIn{User: person(i), Method: "password", Client: browser})
				if err != nil {
					t.Error(err)
					return
				}
				if afterwards != nil {
					if err := afterwards(store, sess, person(i)); err != nil {
						t.Error(err)
						return
					}
				}
				if i%step == 0 {
					mu.Lock()
					tokens = append(tokens, sess.Token())
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return (usedMemory(t, db) - before) / sessions, store, tokens
}

// person returns a user whose names are as long as "Maximiliane Musterfrau".
func person(i int) session.User {
	return session.User{
		ID:          fmt.Sprintf("maxi.%07d@example", i),
		DisplayName: "Maximiliane Musterfrau",
		Email:       fmt.Sprintf("maxi.%07d@example.com", i),
	}
}

var browser = session.Client{UserAgent: strings.Repeat("Mozilla/5.0 ", 10), Address: "203.0.113.254"}

// usedMemory returns the memory that Redis uses, without its clients' buffers.
func usedMemory(t testing.TB, db *redisdb.DB) int {
	t.Helper()
	info, err := db.Client.Info(context.Background(), "memory").Result()
	if err != nil {
		t.Fatal(err)
	}
	return member(t, info, "used_memory") - member(t, info, "mem_clients_normal")
}

func member(t testing.TB, info, name string) int {
	t.Helper()
	_, rest, _ := strings.Cut(info, "\n"+name+":")
	number, _, _ := strings.Cut(rest, "\r\n")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
