// Package idempotency has a request with an Idempotency-Key carried out once: what its
// first use ended with is kept for 24 hours under the person and the key, for whoever
// sends the same request again.
//
// What keeps a key from making two things is its record in Redis, which is changed by
// compare-and-swap alone. It is written before the platform has the last bytes of the
// request and so could act on it, and it says what was sent. When the answer gets lost
// after that, the key's next use looks for what was made before it sends anything, and
// waits first for as long as what was sent may still take effect. The lease around a
// first use is what makes the others wait; a holder that lost it finds another's record
// in its place, and its request ends without its last bytes.
//
// Redis replicates after it has answered: a failover within the moment between a record
// and its copy forgets the record. The package knows neither HTTP servers nor what a
// request means.
package idempotency

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

const (
	// keptFor is how long a key is remembered after its first use.
	keptFor = 24 * time.Hour
	// leaseLife is how long others wait for a first use whose node died.
	leaseLife = 10 * time.Second
	// busyRetryAfter is when it makes sense to ask again while a first use is under way.
	busyRetryAfter = time.Second
	// maxAnswer is the longest body of an answer that is kept, in bytes.
	maxAnswer = 64 << 10
)

// Options are what a Store is made of.
type Options struct {
	Redis  redis.UniversalClient
	Leases *redisdb.Leases
	// Keys name the records and seal them.
	Keys seal.Keys
	Now  func() time.Time
	// CallTimeout is how long the platform may take to answer a request that it has
	// whole.
	CallTimeout time.Duration
	// Grace is how long what was sent may still take effect after its call failed
	// without an answer.
	Grace time.Duration
}

// Store is safe for concurrent use.
type Store struct {
	redis  redis.UniversalClient
	leases *redisdb.Leases
	names  []seal.Sealer // one for each key, the first names new records
	sealer seal.Sealer
	now    func() time.Time
	// settle and grace are how long after it was sent, and after its call failed, a
	// request may take effect.
	settle, grace time.Duration
}

// New makes a Store.
func New(o Options) *Store {
	s := &Store{redis: o.Redis, leases: o.Leases, sealer: o.Keys.For("idempotency"), now: o.Now, settle: o.CallTimeout + o.Grace, grace: o.Grace}
	for _, key := range o.Keys.Each() {
		s.names = append(s.names, key.For("idempotency"))
	}
	return s
}

// ValidKey reports whether key is one: 1 to 255 visible characters of ASCII.
func ValidKey(key string) bool {
	if key == "" || len(key) > 255 {
		return false
	}
	for _, b := range []byte(key) {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return true
}

// Request is one use of a key.
type Request struct {
	// Person is the canonical id of whoever sends it, and Key a valid key.
	Person, Key string
	// Method, Path (decoded), ContentType and Body are the request's own. What makes
	// two requests the same is said at digester.
	Method, Path, ContentType string
	Body                      io.Reader
}

// Answer is what is kept: what a client is told, or what that is found by.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Work is what a Store has done with a request.
type Work struct {
	// Send carries the request out, and returns what is kept. Its error is an answer that
	// is not kept, or none at all.
	Send func(ctx context.Context, attempt *Attempt) (Answer, error)
	// Find looks for what an earlier Send has made since then: what bears mark. False
	// is that there is none.
	Find func(ctx context.Context, mark string, since time.Time) (Answer, bool, error)
}

// Do answers r: with the answer kept, and then replayed is true, or by work. The errors
// are Work's and
//
//   - request.idempotency-mismatch: the key belongs to another request;
//   - request.idempotency-busy, with RetryAfter: the key's first use is under way;
//   - request.malformed, request.too-large: a repeated request cannot be read;
//   - server.unavailable: Redis failed. What was made by then is found by the next use.
func (s *Store) Do(ctx context.Context, r Request, work Work) (answer Answer, replayed bool, err error) {
	u := &use{store: s, work: work, names: s.namesOf(r), body: newBody(r)}
	defer u.body.close()
	lease := redisdb.Lease{Kind: "idempotency", Subject: r.Person + "\x00" + r.Key, Life: leaseLife}
	held, err := s.leases.Hold(ctx, lease, u.first)
	if err == nil && !held {
		err = u.afterAnother(ctx)
	}
	if err == nil && u.replayed {
		err = u.matches(u.kept)
	}
	if err != nil {
		return Answer{}, false, err
	}
	return *u.kept.Answer, u.replayed, nil
}

// namesOf are the names that the record of a request has under each key.
func (s *Store) namesOf(r Request) []string {
	names := make([]string, len(s.names))
	for i, name := range s.names {
		names[i] = name.Name(fmt.Sprintf("%d:%s%s", len(r.Person), r.Person, r.Key))
	}
	return names
}

func busy(cause error) error {
	return fault.Wrap(fault.RequestIdempotencyBusy, fmt.Errorf("idempotency: %w", cause)).After(busyRetryAfter)
}

func mismatch() error { return fault.New(fault.RequestIdempotencyMismatch) }
