package sessiontest

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

// Record is the record that the suite keeps under its sessions.
type Record struct {
	Kind   string    `cbor:"1,keyasint"`
	Key    []byte    `cbor:"2,keyasint"`
	Text   string    `cbor:"3,keyasint,omitempty"`
	Expiry time.Time `cbor:"-"`
}

// RecordKey returns the record's kind and key.
func (r *Record) RecordKey() (kind string, key []byte) { return r.Kind, r.Key }

// RecordExpiry returns a pointer to the expiry.
func (r *Record) RecordExpiry() *time.Time { return &r.Expiry }

// NotFound returns the error of Consume.
func (r *Record) NotFound(spent bool) error {
	if spent {
		return errSpent
	}
	return errUnknown
}

var errSpent, errUnknown = errors.New("spent before"), errors.New("not there")

// Ceremony returns a record of the ceremonies' kind.
func Ceremony(challenge string) *Record {
	return &Record{Kind: "c", Key: []byte(challenge), Text: "registration:" + challenge}
}

// push returns a record of the pushed sign-ins' kind.
func push(requestID string) *Record {
	return &Record{Kind: "p", Key: []byte(requestID), Text: "push to " + alice.ID}
}

// Outcome is the result of an attempt to spend a record.
type Outcome int

// The outcomes: this session has no such record, it was spent before, or it was spent
// now.
const (
	Unknown Outcome = iota
	Spent
	Found
)

// Spend spends the ceremony of challenge. The error is set if the result is none of the
// outcomes.
func Spend(ctx context.Context, store *session.Store, sess *session.Session, challenge string) (Outcome, error) {
	return spend(ctx, store, sess, &Record{Kind: "c", Key: []byte(challenge)})
}

func spend(ctx context.Context, store *session.Store, sess *session.Session, rec *Record) (Outcome, error) {
	switch err := store.Consume(ctx, sess, rec); {
	case err == nil:
		return Found, nil
	case errors.Is(err, errSpent):
		return Spent, nil
	case errors.Is(err, errUnknown):
		return Unknown, nil
	default:
		return Unknown, err
	}
}

func (f *fixture) expectSpend(sess *session.Session, challenge string, want Outcome) {
	f.Helper()
	if got, err := Spend(f.ctx(), f.Store, sess, challenge); err != nil || got != want {
		f.Errorf("spend %q: outcome %d, %v; want %d", challenge, got, err, want)
	}
}

func (f *fixture) expectSpendPush(sess *session.Session, requestID string, want Outcome) {
	f.Helper()
	if got, err := spend(f.ctx(), f.Store, sess, &Record{Kind: "p", Key: []byte(requestID)}); err != nil || got != want {
		f.Errorf("spend the push %q: outcome %d, %v; want %d", requestID, got, err, want)
	}
}

// expectPeek looks for a push and demands that it equal want, or be absent if want is
// nil.
func (f *fixture) expectPeek(sess *session.Session, requestID string, want *Record) {
	f.Helper()
	got := &Record{Kind: "p", Key: []byte(requestID)}
	err := f.Peek(f.ctx(), sess, got)
	if want == nil && !errors.Is(err, errUnknown) && !errors.Is(err, errSpent) || want != nil && (err != nil || !reflect.DeepEqual(got, want)) {
		f.Errorf("peek %q: %+v, %v; want %+v", requestID, got, err, want)
	}
}

func recordComesBack(f *fixture) {
	sess := f.signIn(nil, alice)
	want := &Record{Kind: "transaction", Key: []byte{0, 0xff, 1}, Text: "all of it", Expiry: f.clock.Now().Add(2*time.Minute + time.Millisecond)}
	f.must(f.Put(f.ctx(), sess, want))
	got := &Record{Kind: want.Kind, Key: want.Key}
	if err := f.node(Keys[0]).Consume(f.ctx(), f.again(sess), got); err != nil || !reflect.DeepEqual(got, want) {
		f.Errorf("spent: %+v, %v; want %+v", got, err, want)
	}
}

func spentOnce(f *fixture) {
	sess := f.signIn(nil, alice)
	f.must(f.Put(f.ctx(), sess, Ceremony("challenge")))
	nodes := []*session.Store{f.Store, f.node(Keys[0])}
	var outcomes [3]atomic.Int32
	var wg sync.WaitGroup
	for i := range 50 {
		mine := f.again(sess)
		wg.Go(func() {
			c := &Record{Kind: "c", Key: []byte("challenge")}
			outcome, err := spend(f.ctx(), nodes[i%2], mine, c)
			if err != nil {
				f.Error(err)
				return
			}
			if (outcome == Found) != (c.Text == "registration:challenge") {
				f.Errorf("outcome %d with %+v", outcome, c)
			}
			outcomes[outcome].Add(1)
		})
	}
	wg.Wait()
	if found, spent := outcomes[Found].Load(), outcomes[Spent].Load(); found != 1 || spent != 49 {
		f.Errorf("50 tries: found %d times, spent %d times", found, spent)
	}
}

// noSession: without a session there are no records.
func noSession(f *fixture) {
	f.expectSpend(nil, "challenge", Unknown)
	f.expectPeek(nil, "request", nil)
}

func belongsToItsSession(f *fixture) {
	mine, other, pre := f.signIn(nil, alice), f.signIn(nil, alice), f.startPre()
	f.must(f.Put(f.ctx(), mine, Ceremony("challenge")))
	f.expectSpend(other, "challenge", Unknown)
	f.expectSpend(pre, "challenge", Unknown)
	f.expectSpend(mine, "never issued", Unknown)
	f.expectSpend(mine, "", Unknown)
	f.expectSpend(mine, "challenge", Found)
	f.expectSpend(other, "challenge", Unknown)
}

func ceremonyExpires(f *fixture) {
	sess := f.signIn(nil, alice)
	for challenge, life := range map[string]time.Duration{"short": time.Minute, "tombstone": time.Minute, "default": 0, "long": 2 * RecordTTL, "over": -time.Second} {
		c := Ceremony(challenge)
		if life != 0 {
			c.Expiry = f.clock.Now().Add(life)
		}
		f.must(f.Put(f.ctx(), sess, c))
	}
	f.expectSpend(sess, "over", Unknown)
	f.pass(time.Minute - margin)
	f.expectSpend(sess, "tombstone", Found)
	f.expectSpend(sess, "tombstone", Spent)
	f.pass(margin)
	f.expectSpend(sess, "short", Unknown)
	f.expectSpend(sess, "tombstone", Unknown)
	f.pass(RecordTTL - time.Minute - margin)
	f.expectSpend(sess, "default", Found)
	f.pass(margin)
	f.expectSpend(sess, "default", Unknown)
	f.expectSpend(sess, "long", Unknown)

	f.must(f.Put(f.ctx(), sess, Ceremony("held")))
	f.must(f.Put(f.ctx(), sess, push("held")))
	f.clock.Advance(RecordTTL + 2*time.Minute) // while Redis still holds them, further than clocks may be apart
	f.expectSpend(sess, "held", Unknown)
	f.expectPeek(sess, "held", nil)
}

func severalAtOnce(f *fixture) {
	sess := f.signIn(nil, alice)
	for i := range 20 {
		f.must(f.Put(f.ctx(), f.again(sess), Ceremony(strconv.Itoa(i))))
	}
	for i := 19; i >= 0; i-- {
		challenge := strconv.Itoa(i)
		c := &Record{Kind: "c", Key: []byte(challenge)}
		if err := f.Consume(f.ctx(), f.again(sess), c); err != nil || c.Text != "registration:"+challenge {
			f.Errorf("ceremony %d: %+v, %v", i, c, err)
		}
	}
}

// staysSpent: a challenge that the platform repeats does not become fresh.
func staysSpent(f *fixture) {
	sess := f.signIn(nil, alice)
	f.must(f.Put(f.ctx(), sess, Ceremony("challenge")))
	f.must(f.Put(f.ctx(), sess, Ceremony("challenge")))
	f.expectSpend(sess, "challenge", Found)
	if err := f.Put(f.ctx(), sess, Ceremony("challenge")); !fault.Is(err, fault.PlatformFailed) {
		f.Errorf("a spent challenge is begun again: %v", err)
	}
	f.expectSpend(sess, "challenge", Spent)
}

func peekSpendsNothing(f *fixture) {
	pre, other := f.startPre(), f.startPre()
	want := push("request")
	want.Expiry = f.clock.Now().Add(time.Minute)
	f.must(f.Put(f.ctx(), pre, want))
	for range 3 {
		f.expectPeek(f.again(pre), "request", want)
	}
	f.expectPeek(other, "request", nil)
	f.expectPeek(pre, "another", nil)
	f.expectSpendPush(other, "request", Unknown)
	f.expectSpend(pre, "request", Unknown) // the record is of another kind
	f.pass(time.Minute)
	f.expectPeek(pre, "request", nil)
	f.expectSpendPush(pre, "request", Unknown)

	f.must(f.Put(f.ctx(), pre, push("spent")))
	f.expectSpendPush(pre, "spent", Found)
	f.expectPeek(pre, "spent", nil)
	f.expectSpendPush(pre, "spent", Spent)
}
