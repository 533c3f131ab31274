package decoy_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/decoy"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
)

const recordsKey = "cs:decoys"

// Redis holds nothing about the person whose answer was seen.
func TestRecord_HoldsNoUserData(t *testing.T) {
	t.Parallel()
	client := embedded(t)
	s := node(client)
	for name := range realAnswers {
		real(t, s, fido2, alice, realAnswer(name))
		real(t, s, uaf11, alice, realUAF(t, alice, aaid))
		if err := recall(t, s).RealPush(t.Context(), []string{"requestMessage"}, "00ffa1b2"); err != nil {
			t.Fatal(err)
		}
		kept := fmt.Sprint(client.HGetAll(t.Context(), recordsKey).Val())
		for _, secret := range []string{"alice", "Alice", "00ff", sealedFor(alice), encode(32, 'a'), encode(32, 0xa1), encode(20, 0xa2), encode(48, 0xa3), encode(32, 0xb2), "hybrid", `"usb"`} {
			if strings.Contains(kept, secret) {
				t.Errorf("%s: %q is in %s", name, secret, kept)
			}
		}
	}
}

// Every node knows what one node has seen, in one round trip, and restores it in a Redis
// that was emptied.
func TestRecord_SharedByNodes(t *testing.T) {
	t.Parallel()
	client := embedded(t)
	one, two, fresh := node(client), node(client), node(client)
	timeout := func(s *decoy.Service) float64 { return decode(t, made(t, s, fido2, alice)).Timeout }
	real(t, one, fido2, alice, realAnswer("with more"))
	real(t, one, uaf11, alice, realUAF(t, alice, aaid))
	if got := timeout(two); got != 120_000 {
		t.Errorf("the other node has %v", got)
	}
	real(t, two, fido2, alice, realAnswer("no credentials"))
	if got := timeout(one); got != 60_000 {
		t.Errorf("the first node has %v", got)
	}
	client.FlushDB(t.Context())
	if got := timeout(fresh); got != 180_000 {
		t.Errorf("a new node, of an empty Redis, has %v", got)
	}
	for range 2 {
		if got := timeout(one); got != 60_000 {
			t.Errorf("a Redis that was emptied makes it %v", got)
		}
	}
	if _, keys := parsed(t, made(t, fresh, uaf11, alice)); keys[0].AAIDs[0] != aaid || timeout(fresh) != 60_000 {
		t.Errorf("the new node is not told: %v", keys)
	}
}

// An unchanged record is not written again.
func TestRecord_UnchangedNotWritten(t *testing.T) {
	t.Parallel()
	client := embedded(t)
	s := node(client)
	for range 2 {
		real(t, s, uaf11, alice, realUAF(t, alice, aaid))
		r := recall(t, s)
		client.FlushDB(t.Context())
		if _, err := r.Real(t.Context(), uaf11, "bob@sandbox", realUAF(t, "bob@sandbox", aaid)); err != nil {
			t.Fatal(err)
		}
		if n := client.Exists(t.Context(), recordsKey).Val(); n != 0 {
			t.Error("it was written")
		}
	}
}

// An unreadable record in Redis, by another version of the program or by mistake, counts
// as absent.
func TestRecord_UnreadableCountsAsAbsent(t *testing.T) {
	t.Parallel()
	client := embedded(t)
	for _, broken := range []string{"", "{", "[]", "7", "null", "{}", `{"challenge":-1}`, `{"challenge":65536}`, `{"models":[{"keyID":-1}]}`, `{"serverData":{"before":99999}}`} {
		client.HSet(t.Context(), recordsKey, "FIDO2:", broken, "UAF11:", broken, "push:pushNotification", broken)
		s := node(client, aaid)
		if decode(t, made(t, s, fido2, alice)).Timeout != 180_000 {
			t.Errorf("%s is taken for a record", broken)
		}
		made(t, s, uaf11, alice)
		recall(t, s).DecoyPush([]string{"pushNotification"})
	}
}

// Without Redis no decoy can be made.
func TestRecord_RedisUnavailable(t *testing.T) {
	server := redistest.Start(t)
	s := node(dbtest.Open(t, redisdb.Options{URL: server.URL()}).Client)
	r := recall(t, s)
	server.Kill()
	if _, err := s.Recall(t.Context()); !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("recalled: %v", err)
	}
	if _, err := r.Real(t.Context(), fido2, alice, realAnswer("with more")); !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("learned: %v", err)
	}
}

// The command of a push that reaches nobody is as long as the last real one, for each way
// of delivery.
func TestPush_AsLongAsReal(t *testing.T) {
	t.Parallel()
	s := node(embedded(t))
	both, message := []string{"requestMessage", "pushNotification"}, []string{"requestMessage"}
	if got := recall(t, s).DecoyPush(both); got != "" {
		t.Errorf("first %q", got)
	}
	for real, form := range map[string]string{"": "", "00ffa1": "^[0-9a-f]*$", "00FFA1B": "^[0-9A-F]*$", "0011": "^[0-9a-f]*$", strings.Repeat("ab", 40_000): "^[0-9a-f]*$"} {
		if err := recall(t, s).RealPush(t.Context(), both, real); err != nil {
			t.Fatal(err)
		}
		one, two := recall(t, s).DecoyPush([]string{"pushNotification", "requestMessage", "requestMessage"}), recall(t, s).DecoyPush(both)
		if !regexp.MustCompile(form).MatchString(one) || len(one) != len(real) || real != "" && one == two {
			t.Errorf("%.20s: decoys %.20s and %.20s", real, one, two)
		}
		if got := recall(t, s).DecoyPush(message); got != "" {
			t.Errorf("another delivery has %q", got)
		}
	}
}
