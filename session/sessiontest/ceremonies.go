package sessiontest

import (
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

// ceremony is one with this challenge, and little else.
func ceremony(challenge string) session.Ceremony {
	return session.Ceremony{Kind: "registration", Protocol: "FIDO2", User: alice.ID, RequestID: "registration:" + challenge, Challenge: []byte(challenge)}
}

func pending(requestID string) session.PendingSignIn {
	return session.PendingSignIn{RequestID: requestID, User: alice.ID, Method: "push"}
}

func (b *bench) expectSpend(sess *session.Session, challenge string, want session.Outcome) {
	b.Helper()
	if _, got, err := b.Spend(b.ctx(), sess, []byte(challenge)); err != nil || got != want {
		b.Errorf("spend %q: outcome %d, %v; want %d", challenge, got, err, want)
	}
}

func ceremonyComesBack(b *bench) {
	sess := b.signIn(nil, alice)
	want := session.Ceremony{
		Kind: "transaction", Protocol: "UAF11", RequestID: "authentication:1", User: alice.ID, Challenge: []byte{0, 0xff, 1},
		RPID: "example.com", AppID: "https://example.com/uaf/facets", TransactionHash: []byte{1, 2, 3}, Decoy: true,
		Expiry: b.clock.Now().Add(2 * time.Minute),
	}
	b.must(b.Begin(b.ctx(), sess, want))
	got, outcome, err := b.node(Keys[0]).Spend(b.ctx(), b.again(sess), want.Challenge)
	if err != nil || outcome != session.Found || !reflect.DeepEqual(got, want) {
		b.Errorf("spent: %+v, %d, %v; want %+v", got, outcome, err, want)
	}
}

func spentOnce(b *bench) {
	sess := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), sess, ceremony("challenge")))
	nodes := []*session.Store{b.Store, b.node(Keys[0])}
	var outcomes [3]atomic.Int32
	var wg sync.WaitGroup
	for i := range 50 {
		mine := b.again(sess)
		wg.Go(func() {
			c, outcome, err := nodes[i%2].Spend(b.ctx(), mine, []byte("challenge"))
			if err != nil {
				b.Error(err)
				return
			}
			if (outcome == session.Found) != (c.RequestID == "registration:challenge") {
				b.Errorf("outcome %d with %+v", outcome, c)
			}
			outcomes[outcome].Add(1)
		})
	}
	wg.Wait()
	if found, spent := outcomes[session.Found].Load(), outcomes[session.Spent].Load(); found != 1 || spent != 49 {
		b.Errorf("50 tries: found %d times, spent %d times", found, spent)
	}
}

func belongsToItsSession(b *bench) {
	mine, other, pre := b.signIn(nil, alice), b.signIn(nil, alice), b.startPre()
	b.must(b.Begin(b.ctx(), mine, ceremony("challenge")))
	b.expectSpend(other, "challenge", session.Unknown)
	b.expectSpend(pre, "challenge", session.Unknown)
	b.expectSpend(mine, "never issued", session.Unknown)
	b.expectSpend(mine, "", session.Unknown)
	b.expectSpend(mine, "challenge", session.Found)
	b.expectSpend(other, "challenge", session.Unknown)
}

func ceremonyExpires(b *bench) {
	sess := b.signIn(nil, alice)
	for challenge, life := range map[string]time.Duration{"short": time.Minute, "tombstone": time.Minute, "default": 0, "long": time.Hour, "over": -time.Second} {
		c := ceremony(challenge)
		if life != 0 {
			c.Expiry = b.clock.Now().Add(life)
		}
		b.must(b.Begin(b.ctx(), sess, c))
	}
	b.expectSpend(sess, "over", session.Unknown)
	b.pass(time.Minute - time.Second)
	b.expectSpend(sess, "tombstone", session.Found)
	b.expectSpend(sess, "tombstone", session.Spent)
	b.pass(time.Second)
	b.expectSpend(sess, "short", session.Unknown)
	b.expectSpend(sess, "tombstone", session.Unknown)
	b.pass(CeremonyTTL - time.Minute - time.Second)
	b.expectSpend(sess, "default", session.Found)
	b.pass(time.Second)
	b.expectSpend(sess, "default", session.Unknown)
	b.expectSpend(sess, "long", session.Unknown)

	b.must(b.Begin(b.ctx(), sess, ceremony("held")))
	b.must(b.AddPending(b.ctx(), sess, pending("held")))
	b.clock.Advance(PendingTTL) // and Redis holds them still
	b.expectSpend(sess, "held", session.Unknown)
	if _, ok, err := b.Pending(b.ctx(), sess, "held"); ok || err != nil {
		b.Errorf("pending after its expiry: %v, %v", ok, err)
	}
}

func severalAtOnce(b *bench) {
	sess := b.signIn(nil, alice)
	for i := range 20 {
		b.must(b.Begin(b.ctx(), b.again(sess), ceremony(strconv.Itoa(i))))
	}
	for i := 19; i >= 0; i-- {
		challenge := strconv.Itoa(i)
		c, outcome, err := b.Spend(b.ctx(), b.again(sess), []byte(challenge))
		if err != nil || outcome != session.Found || c.RequestID != "registration:"+challenge {
			b.Errorf("ceremony %d: %+v, %d, %v", i, c, outcome, err)
		}
	}
}

// staysSpent: a platform that says the same challenge twice does not make it fresh.
func staysSpent(b *bench) {
	sess := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), sess, ceremony("challenge")))
	b.must(b.Begin(b.ctx(), sess, ceremony("challenge")))
	b.expectSpend(sess, "challenge", session.Found)
	if err := b.Begin(b.ctx(), sess, ceremony("challenge")); !fault.Is(err, fault.PlatformFailed) {
		b.Errorf("a spent challenge is begun again: %v", err)
	}
	b.expectSpend(sess, "challenge", session.Spent)
}

func takenOnce(b *bench) {
	pre := b.startPre()
	b.must(b.AddPending(b.ctx(), pre, pending("request")))
	var taken atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		mine := b.again(pre)
		wg.Go(func() {
			p, ok, err := b.TakePending(b.ctx(), mine, "request")
			if err != nil {
				b.Error(err)
			}
			if ok {
				taken.Add(1)
				if p.User != alice.ID || p.Method != "push" || p.RequestID != "request" {
					b.Errorf("taken: %+v", p)
				}
			}
		})
	}
	wg.Wait()
	if got := taken.Load(); got != 1 {
		b.Errorf("taken %d times", got)
	}
	if _, ok, err := b.Pending(b.ctx(), pre, "request"); ok || err != nil {
		b.Errorf("what was taken is pending: %v, %v", ok, err)
	}
}

func pendingWaits(b *bench) {
	pre, other := b.startPre(), b.startPre()
	want := session.PendingSignIn{RequestID: "request", User: alice.ID, Method: "push", Decoy: true, Expiry: b.clock.Now().Add(time.Minute)}
	b.must(b.AddPending(b.ctx(), pre, want))
	for range 3 { // looking takes nothing
		if got, ok, err := b.Pending(b.ctx(), b.again(pre), "request"); err != nil || !ok || got != want {
			b.Errorf("pending: %+v, %v, %v; want %+v", got, ok, err, want)
		}
	}
	for name, find := range map[string]func() (session.PendingSignIn, bool, error){
		"another session":      func() (session.PendingSignIn, bool, error) { return b.Pending(b.ctx(), other, "request") },
		"another session take": func() (session.PendingSignIn, bool, error) { return b.TakePending(b.ctx(), other, "request") },
		"another request":      func() (session.PendingSignIn, bool, error) { return b.Pending(b.ctx(), pre, "another") },
	} {
		if _, ok, err := find(); ok || err != nil {
			b.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	b.expectSpend(pre, "request", session.Unknown) // a requestID is no challenge
	b.pass(time.Minute)
	if _, ok, err := b.TakePending(b.ctx(), pre, "request"); ok || err != nil {
		b.Errorf("taken after its expiry: %v, %v", ok, err)
	}
}
