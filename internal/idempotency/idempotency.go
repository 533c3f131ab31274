// Package idempotency runs a request with an Idempotency-Key once and repeats its response for
// 24 hours.
//
// The key's record in Redis, changed by compare-and-swap alone, keeps a key from creating
// two objects. The record says what was sent, and is written before the platform has the
// last bytes of the request and so could act on it. If the answer then gets lost, the
// key's next use looks for the created object before it sends anything, and first waits
// for as long as the lost request may still take effect. The lease around a first use
// only makes the others wait; a holder that lost it finds another's record instead of
// its own, and its request ends without its last bytes.
//
// Redis replicates after it has answered: a failover within the moment between a record
// and its copy forgets the record. The use that wrote it writes it again with what the
// platform answers; another use of the key before that, or after that use has ended, makes a
// second object. The package knows neither HTTP servers nor what a request means.
package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	// usuallyKept limits how long a key is remembered after its first use.
	usuallyKept = 24 * time.Hour
	// leaseLife limits how long others wait for a first use whose node died.
	leaseLife = 10 * time.Second
	// busyRetryAfter is the Retry-After of an answer given while a first use is under
	// way.
	busyRetryAfter = time.Second
	// maxAnswer is the longest body of an answer that is kept, in bytes.
	maxAnswer = 64 << 10
)

// Options configure a Store.
type Options struct {
	Redis  redis.Cmdable
	Leases *redisdb.Leases
	// Keys name the records and seal them.
	Keys seal.Keys
	Now  func() time.Time
	// CallTimeout limits how long the platform takes to answer once it has the whole
	// request.
	CallTimeout time.Duration
	// Grace is the time for which a request may still take effect after its call failed
	// without an answer.
	Grace time.Duration
	// Keep limits how long a key is remembered after its first use; zero stands for a day.
	Keep time.Duration
	// Wait limits how long another use of a key waits for its first; zero is not at all.
	Wait time.Duration
}

// Store is safe for concurrent use.
type Store struct {
	redis  redis.Cmdable
	leases *redisdb.Leases
	sealer seal.Sealer
	now    func() time.Time
	// A request takes no more effect once settle has passed since it was sent, or grace
	// since its call failed.
	settle, grace time.Duration
	keep, wait    time.Duration
}

// New makes a Store.
func New(o Options) *Store {
	return &Store{
		redis: o.Redis, leases: o.Leases, sealer: o.Keys.For("idempotency"), now: o.Now, settle: o.CallTimeout + o.Grace, grace: o.Grace,
		keep: cmp.Or(o.Keep, usuallyKept), wait: o.Wait,
	}
}

// ValidKey reports whether key is 1 to 255 visible ASCII characters.
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
	// Person is the canonical id of the sender, and Key a valid key.
	Person, Key string
	// Method, Path (decoded), ContentType and Body are the request's own. The comment on
	// digester says when two requests are the same.
	Method, Path, ContentType string
	Body                      io.Reader
	// Wait is Options.Wait for this use; zero stands for that.
	Wait time.Duration
}

// Answer is the stored part of an answer: what the client gets, or what it is rebuilt
// from.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Work carries out a request for a Store.
type Work struct {
	// Send carries the request out and returns the answer to keep. After an error nothing
	// is kept.
	Send func(ctx context.Context, attempt *Attempt) (Answer, error)
	// Find looks for an object created since `since` that carries mark; the boolean is
	// false if there is none.
	Find func(ctx context.Context, mark string, since time.Time) (Answer, bool, error)
}

// Do answers r by work, or with the kept answer, and then replayed is true. The errors
// are Work's and
//
//   - request.idempotency-mismatch: the key belongs to another request;
//   - request.idempotency-busy, with RetryAfter: the key's first use is under way;
//   - request.malformed, request.too-large: a repeated request cannot be read;
//   - server.unavailable: Redis failed. The key's next use finds what was created by
//     then.
func (s *Store) Do(ctx context.Context, r Request, work Work) (answer Answer, replayed bool, err error) {
	u := &use{store: s, work: work, keys: s.sealer.Each(), body: newBody(r)}
	u.names = namesOf(r, u.keys)
	defer u.body.close()
	lease := redisdb.Lease{Kind: "idempotency", Subject: r.Person + "\x00" + r.Key, Life: leaseLife, Wait: cmp.Or(r.Wait, s.wait)}
	held, err := s.leases.WithLease(ctx, lease, u.firstUse)
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

// namesOf returns the record's name under each key.
func namesOf(r Request, keys []seal.Sealer) []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.Name(fmt.Sprintf("%d:%s%s", len(r.Person), r.Person, r.Key))
	}
	return names
}

func busy(cause error) error {
	return fault.Wrap(fault.RequestIdempotencyBusy, fmt.Errorf("idempotency: %w", cause)).After(busyRetryAfter)
}

func mismatch() error { return fault.New(fault.RequestIdempotencyMismatch) }

// use is one use of a key under way. It ends with kept.Answer set or with an error.
type use struct {
	store *Store
	work  Work
	keys  []seal.Sealer // one for each key, the first names new records
	names []string      // under each of keys
	body  *body

	kept     record
	replayed bool // the answer belongs to an earlier use, if the request is the same
}

// firstUse answers under the lease, which keeps others waiting unless it is lost.
func (u *use) firstUse(ctx context.Context) (err error) {
	if u.kept, err = u.store.load(ctx, u.names); err != nil {
		return err
	}
	if u.kept.sent() && !u.kept.answered() {
		if err := u.recover(ctx); err != nil {
			return err
		}
	}
	if u.kept.answered() {
		u.replayed = true
		return nil
	}
	return u.send(ctx)
}

// afterAnother loads the answer of another use, which held the lease a moment ago or
// still holds it to replay the same answer.
func (u *use) afterAnother(ctx context.Context) (err error) {
	if u.kept, err = u.store.load(ctx, u.names); err != nil {
		return err
	}
	if !u.kept.answered() {
		return busy(errors.New("another use holds the lease"))
	}
	u.replayed = true
	return nil
}

// matches reads the request to its end and returns request.idempotency-mismatch if kept
// belongs to another request.
func (u *use) matches(kept record) error {
	digest, err := u.digest(kept)
	if err == nil && !bytes.Equal(digest, kept.Digest) {
		err = mismatch()
	}
	return err
}

// digest reads the request to its end and returns the MAC of its digest for a record.
func (u *use) digest(of record) ([]byte, error) {
	digest, err := u.body.digest()
	if err != nil {
		return nil, err
	}
	return []byte(u.keys[of.by].Name("request " + string(digest))), nil
}

// recover looks for the object created by a request whose answer got lost. It repeats an
// empty search until that request can no longer take effect.
func (u *use) recover(ctx context.Context) error {
	for {
		settled := !u.store.now().Before(u.kept.UntilAt)
		answer, found, err := u.work.Find(ctx, u.kept.Mark, u.kept.SentAt)
		switch {
		case err != nil:
			return err
		case found:
			return u.keepFound(ctx, answer)
		case settled:
			return nil
		}
		if err := wait(ctx, u.kept.UntilAt.Sub(u.store.now())); err != nil {
			return err
		}
	}
}

// keepFound stores the answer that got lost.
func (u *use) keepFound(ctx context.Context, answer Answer) error {
	next := u.kept
	next.Answer = &answer
	now, ok, err := u.store.swap(ctx, u.kept, next)
	if err == nil && !ok {
		err = busy(errReplaced)
	}
	u.kept = now
	return err
}

// send carries the request out and keeps the answer.
func (u *use) send(ctx context.Context) error {
	a := &Attempt{use: u, ctx: ctx, kept: u.kept}
	answer, err := u.work.Send(ctx, a)
	if refused := a.end(); refused != nil {
		return refused
	}
	if err != nil {
		a.failed()
		return err
	}
	u.kept.Answer = &answer
	return a.keep(answer)
}

var errReplaced = errors.New("another use of the key took its place")

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
