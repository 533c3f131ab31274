package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal/sealtest"
	"countersign/internal/verification/index"
)

// TestMain silences go-redis's global logger before tests run in parallel.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}

// transactions is the platform with a few transactions, and the clock of all nodes. It is
// safe for concurrent use.
type transactions struct {
	t      *testing.T
	client redis.Cmdable

	mu    sync.Mutex
	held  map[string]map[string]any
	asked []string
	clock time.Time
	fails error // answers everything, unless nil
}

func newTransactions(t *testing.T) *transactions {
	t.Helper()
	return &transactions{t: t, client: dbtest.Embedded(t).Client, held: map[string]map[string]any{}, clock: time.Now()}
}

// Transaction implements index.Platform and records the id.
func (p *transactions) Transaction(_ context.Context, id string) (jsontext.Value, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, id)
	if p.fails != nil {
		return nil, p.fails
	}
	if p.held[id] == nil {
		return nil, fault.New(fault.RequestNotFound)
	}
	body, err := json.Marshal(p.held[id])
	if err != nil {
		p.t.Error(err)
	}
	return body, nil
}

// Result implements index.Platform.
func (p *transactions) Result(context.Context, string) (string, error) { return "Passed", nil }

func (p *transactions) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock
}

func (p *transactions) advance(over time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock = p.clock.Add(over)
}

// calls returns how often the platform was asked since the last call of calls.
func (p *transactions) calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.asked)
	p.asked = nil
	return n
}

// node returns the index of one node with these keys.
func (p *transactions) node(keys ...[]byte) *index.Index {
	p.t.Helper()
	secret := []byte("of the tests")
	x, err := index.New(index.Options{
		Redis: p.client, Keys: sealtest.Keys(keys...), Platform: p, Leases: redisdb.NewLeases(p.client, secret, time.Minute),
		Lookup: accesstest.Lookups(p.t, p.client, "60/m"), Now: p.now,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return x
}

// starts adds a transaction of user to the platform, with a sealed opaque_id, and returns
// it.
func (p *transactions) starts(x *index.Index, user, id string) jsontext.Value {
	p.t.Helper()
	p.mu.Lock()
	p.held[id] = map[string]any{
		"id": id, "status": "new", "created": p.clock.UTC().Format(time.RFC3339Nano), "language": "en",
		"opaque_id": x.Seal(index.Starter{User: user, Own: "own " + id}),
	}
	p.mu.Unlock()
	body, err := p.Transaction(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	p.calls()
	return body
}

func (p *transactions) become(id, status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[id]["status"] = status
}

// lose makes the platform forget a transaction.
func (p *transactions) lose(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, id)
}

// fail makes the platform answer everything with err, until err is nil.
func (p *transactions) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fails = err
}

// name gives a transaction its person.
func (p *transactions) name(id, first, last string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[id]["users"] = []map[string]string{{"first_name": first, "last_name": last}}
}

// ownList returns the ids and states of person's own list.
func ownList(t *testing.T, x *index.Index, person access.Person, status string) []string {
	t.Helper()
	page, err := x.List(t.Context(), person, index.Query{Status: status, From: 1, To: 100})
	if err != nil {
		t.Fatal(err)
	}
	if page.Count != len(page.Results) {
		t.Errorf("the count is %d of %d", page.Count, len(page.Results))
	}
	out := []string{}
	for _, item := range page.Results {
		out = append(out, item.ID+" "+item.Status)
	}
	return out
}

func granted(t *testing.T, x *index.Index, person access.Person, id string) index.Grant {
	t.Helper()
	g, err := x.Grant(t.Context(), person, "session", id)
	if err != nil && !fault.Is(err, fault.RequestNotFound) {
		t.Fatal(err)
	}
	return g
}

// tx returns the id of the nth transaction.
func tx(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
