package idempotency_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
)

// TestMain switches off go-redis's global logger, which the parallel tests share.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}

// aKey returns an access key.
func aKey(b byte) []byte { return bytes.Repeat([]byte{b, 0}, seal.KeyLength/2) }

// settle limits how long a request without an answer may take effect in these tests.
const settle = 500 * time.Millisecond

func node(client redis.Cmdable, access seal.Keys) *idempotency.Store {
	return idempotency.New(idempotency.Options{
		Redis: client, Leases: redisdb.NewLeases(client, []byte("a key"), time.Minute), Keys: access, Now: time.Now,
		CallTimeout: settle, Grace: settle,
	})
}

// twoNodes returns two stores over one Redis, each with a client of its own if the Redis
// allows more than one.
func twoNodes(t *testing.T, o redisdb.Options) (nodes [2]*idempotency.Store, client redis.Cmdable) {
	t.Helper()
	client = dbtest.Open(t, o).Client
	other := client
	if !o.Embedded {
		other = dbtest.Open(t, o).Client
	}
	access := sealtest.Keys(aKey(1))
	return [2]*idempotency.Store{node(client, access), node(other, access)}, client
}

// outcome is the result that a client sees.
type outcome struct {
	body     string
	replayed bool
	key      fault.Key // of the error, "" for none
}

func do(ctx context.Context, s *idempotency.Store, r idempotency.Request, work idempotency.Work) outcome {
	answer, replayed, err := s.Do(ctx, r, work)
	o := outcome{body: string(answer.Body), replayed: replayed}
	if err != nil {
		o.key = fault.From(err).Key
	}
	return o
}

func expect(t *testing.T, s *idempotency.Store, r idempotency.Request, p *platform, want outcome) {
	t.Helper()
	if got := do(t.Context(), s, r, p.work()); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// eventually repeats a request, as clients do, until it is answered.
func eventually(t *testing.T, s *idempotency.Store, r func() idempotency.Request, p *platform, want outcome) {
	t.Helper()
	var got outcome
	redistest.Eventually(t, "the key answers", func() bool {
		got = do(t.Context(), s, r(), p.work())
		return got.key != fault.ServerUnavailable && got.key != fault.RequestIdempotencyBusy
	})
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
