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

// Record is what the suite keeps under its sessions.
type Record struct {
	Kind   string    `cbor:"1,keyasint"`
	Key    []byte    `cbor:"2,keyasint"`
	Text   string    `cbor:"3,keyasint,omitempty"`
	Expiry time.Time `cbor:"-"`
}

// RecordKey returns the record's kind and key.
func (r *Record) RecordKey() (kind string, key []byte) { return r.Kind, r.Key }

// RecordExpiry returns where the expiry is kept.
func (r *Record) RecordExpiry() *time.Time { return &r.Expiry }

// Missing returns an error that Spend tells as Spent or Unknown.
func (r *Record) Missing(spent bool) error {
	if spent {
		return errSpent
	}
	return errUnknown
}

var errSpent, errUnknown = errors.New("spent before"), errors.New("not there")

// Ceremony returns a record of the kind that ceremonies are.
func Ceremony(challenge string) *Record {
	return &Record{Kind: "c", Key: []byte(challenge), Text: "registration:" + challenge}
}

// push returns a record of the kind that pushed sign-ins are.
func push(requestID string) *Record {
	return &Record{Kind: "p", Key: []byte(requestID), Text: "push to " + alice.ID}
}

// Outcome is what became of an attempt to spend a record.
type Outcome int

// The outcomes: nothing that this session may spend, spent before, and spent now.
const (
	Unknown Outcome = iota
	Spent
	Found
)

// Spend spends the ceremony of challenge. The error is what is none of the outcomes.
func Spend(ctx context.Context, store *session.Store, sess *session.Session, challenge string) (Outcome, error) {
	return spend(ctx, store, sess, &Record{Kind: "c", Key: []byte(challenge)})
}

func spend(ctx context.Context, store *session.Store, sess *session.Session, rec *Record) (Outcome, error) {
	switch err := store.Spend(ctx, sess, rec); {
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

func (b *bench) expectSpend(sess *session.Session, challenge string, want Outcome) {
	b.Helper()
	if got, err := Spend(b.ctx(), b.Store, sess, challenge); err != nil || got != want {
		b.Errorf("spend %q: outcome %d, %v; want %d", challenge, got, err, want)
	}
}

func (b *bench) expectSpendPush(sess *session.Session, requestID string, want Outcome) {
	b.Helper()
	if got, err := spend(b.ctx(), b.Store, sess, &Record{Kind: "p", Key: []byte(requestID)}); err != nil || got != want {
		b.Errorf("spend the push %q: outcome %d, %v; want %d", requestID, got, err, want)
	}
}

// expectPeek looks for a push and demands that it be want; nil for none.
func (b *bench) expectPeek(sess *session.Session, requestID string, want *Record) {
	b.Helper()
	got := &Record{Kind: "p", Key: []byte(requestID)}
	err := b.Peek(b.ctx(), sess, got)
	if want == nil && !errors.Is(err, errUnknown) && !errors.Is(err, errSpent) || want != nil && (err != nil || !reflect.DeepEqual(got, want)) {
		b.Errorf("peek %q: %+v, %v; want %+v", requestID, got, err, want)
	}
}

func recordComesBack(b *bench) {
	sess := b.signIn(nil, alice)
	want := &Record{Kind: "transaction", Key: []byte{0, 0xff, 1}, Text: "all of it", Expiry: b.clock.Now().Add(2*time.Minute + time.Millisecond)}
	b.must(b.Begin(b.ctx(), sess, want))
	got := &Record{Kind: want.Kind, Key: want.Key}
	if err := b.node(Keys[0]).Spend(b.ctx(), b.again(sess), got); err != nil || !reflect.DeepEqual(got, want) {
		b.Errorf("spent: %+v, %v; want %+v", got, err, want)
	}
}

func spentOnce(b *bench) {
	sess := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), sess, Ceremony("challenge")))
	nodes := []*session.Store{b.Store, b.node(Keys[0])}
	var outcomes [3]atomic.Int32
	var wg sync.WaitGroup
	for i := range 50 {
		mine := b.again(sess)
		wg.Go(func() {
			c := &Record{Kind: "c", Key: []byte("challenge")}
			outcome, err := spend(b.ctx(), nodes[i%2], mine, c)
			if err != nil {
				b.Error(err)
				return
			}
			if (outcome == Found) != (c.Text == "registration:challenge") {
				b.Errorf("outcome %d with %+v", outcome, c)
			}
			outcomes[outcome].Add(1)
		})
	}
	wg.Wait()
	if found, spent := outcomes[Found].Load(), outcomes[Spent].Load(); found != 1 || spent != 49 {
		b.Errorf("50 tries: found %d times, spent %d times", found, spent)
	}
}

// noSession: whoever has no session at all has no record.
func noSession(b *bench) {
	b.expectSpend(nil, "challenge", Unknown)
	b.expectPeek(nil, "request", nil)
}

func belongsToItsSession(b *bench) {
	mine, other, pre := b.signIn(nil, alice), b.signIn(nil, alice), b.startPre()
	b.must(b.Begin(b.ctx(), mine, Ceremony("challenge")))
	b.expectSpend(other, "challenge", Unknown)
	b.expectSpend(pre, "challenge", Unknown)
	b.expectSpend(mine, "never issued", Unknown)
	b.expectSpend(mine, "", Unknown)
	b.expectSpend(mine, "challenge", Found)
	b.expectSpend(other, "challenge", Unknown)
}

func ceremonyExpires(b *bench) {
	sess := b.signIn(nil, alice)
	for challenge, life := range map[string]time.Duration{"short": time.Minute, "tombstone": time.Minute, "default": 0, "long": 2 * RecordTTL, "over": -time.Second} {
		c := Ceremony(challenge)
		if life != 0 {
			c.Expiry = b.clock.Now().Add(life)
		}
		b.must(b.Begin(b.ctx(), sess, c))
	}
	b.expectSpend(sess, "over", Unknown)
	b.pass(time.Minute - time.Second)
	b.expectSpend(sess, "tombstone", Found)
	b.expectSpend(sess, "tombstone", Spent)
	b.pass(time.Second)
	b.expectSpend(sess, "short", Unknown)
	b.expectSpend(sess, "tombstone", Unknown)
	b.pass(RecordTTL - time.Minute - time.Second)
	b.expectSpend(sess, "default", Found)
	b.pass(time.Second)
	b.expectSpend(sess, "default", Unknown)
	b.expectSpend(sess, "long", Unknown)

	b.must(b.Begin(b.ctx(), sess, Ceremony("held")))
	b.must(b.Begin(b.ctx(), sess, push("held")))
	b.clock.Advance(RecordTTL) // and Redis holds them still
	b.expectSpend(sess, "held", Unknown)
	b.expectPeek(sess, "held", nil)
}

func severalAtOnce(b *bench) {
	sess := b.signIn(nil, alice)
	for i := range 20 {
		b.must(b.Begin(b.ctx(), b.again(sess), Ceremony(strconv.Itoa(i))))
	}
	for i := 19; i >= 0; i-- {
		challenge := strconv.Itoa(i)
		c := &Record{Kind: "c", Key: []byte(challenge)}
		if err := b.Spend(b.ctx(), b.again(sess), c); err != nil || c.Text != "registration:"+challenge {
			b.Errorf("ceremony %d: %+v, %v", i, c, err)
		}
	}
}

// staysSpent: a platform that says the same challenge twice does not make it fresh.
func staysSpent(b *bench) {
	sess := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), sess, Ceremony("challenge")))
	b.must(b.Begin(b.ctx(), sess, Ceremony("challenge")))
	b.expectSpend(sess, "challenge", Found)
	if err := b.Begin(b.ctx(), sess, Ceremony("challenge")); !fault.Is(err, fault.PlatformFailed) {
		b.Errorf("a spent challenge is begun again: %v", err)
	}
	b.expectSpend(sess, "challenge", Spent)
}

func peekSpendsNothing(b *bench) {
	pre, other := b.startPre(), b.startPre()
	want := push("request")
	want.Expiry = b.clock.Now().Add(time.Minute)
	b.must(b.Begin(b.ctx(), pre, want))
	for range 3 {
		b.expectPeek(b.again(pre), "request", want)
	}
	b.expectPeek(other, "request", nil)
	b.expectPeek(pre, "another", nil)
	b.expectSpendPush(other, "request", Unknown)
	b.expectSpend(pre, "request", Unknown) // of another kind
	b.pass(time.Minute)
	b.expectPeek(pre, "request", nil)
	b.expectSpendPush(pre, "request", Unknown)

	b.must(b.Begin(b.ctx(), pre, push("spent")))
	b.expectSpendPush(pre, "spent", Found)
	b.expectPeek(pre, "spent", nil)
	b.expectSpendPush(pre, "spent", Spent)
}
