package sessiontest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"countersign/internal/redisdb/redistest"
	"countersign/session"

	"github.com/redis/go-redis/v9"
)

// tampering changes each byte of a session's value that is not its last use, and
// exchanges values between sessions and records: what does not open is not there, and
// that is no outage.
func tampering(b *bench) {
	sess, other := b.signIn(nil, alice), b.signIn(nil, bob)
	client, key := b.backend.Client, sessionKey(b, sess)
	value, err := client.Get(b.ctx(), key).Result()
	b.must(err)
	// The details between are sealed for the person and not opened here.
	for i := range len(value) {
		if i >= 8 && i < 16 || i >= 18 && i < len(value)-60 {
			continue
		}
		forged := []byte(value)
		forged[i] ^= 1
		b.must(client.Set(b.ctx(), key, forged, Idle).Err())
		b.gone(sess.Token(), "a bit of its value was changed")
	}
	for name, forged := range map[string]string{"empty": "", "cut": value[:len(value)/2], "a header alone": value[:18], "another's": client.Get(b.ctx(), sessionKey(b, other)).Val()} {
		b.must(client.Set(b.ctx(), key, forged, Idle).Err())
		b.gone(sess.Token(), "its value is "+name)
	}
	b.must(client.Set(b.ctx(), key, value, Idle).Err())
	b.alive(sess.Token(), "its value is as it was")
	exchangedRecords(b, sess)
}

// exchangedRecords puts the record of one challenge in the place of another.
func exchangedRecords(b *bench, sess *session.Session) {
	b.must(b.Begin(b.ctx(), sess, Ceremony("one")))
	b.must(b.Begin(b.ctx(), sess, Ceremony("two")))
	var keys []string
	redistest.EachKey(b, b.backend.Client, func(_ context.Context, _ *redis.Client, key string) {
		if strings.Contains(key, ":c:") {
			keys = append(keys, key)
		}
	})
	if len(keys) != 2 {
		b.Fatalf("ceremonies: %q", keys)
	}
	b.must(b.backend.Client.Set(b.ctx(), keys[0], b.backend.Client.Get(b.ctx(), keys[1]).Val(), RecordTTL).Err())
	one, err := Spend(b.ctx(), b.Store, sess, "one")
	b.must(err)
	two, err := Spend(b.ctx(), b.Store, sess, "two")
	b.must(err)
	if one+two != Found+Unknown {
		b.Errorf("one exchanged for the other: %d, %d", one, two)
	}
}

// sessionKey is the key in Redis of sess, the only session of its person.
func sessionKey(b *bench, sess *session.Session) string {
	b.Helper()
	found := ""
	redistest.EachKey(b, b.backend.Client, func(ctx context.Context, node *redis.Client, key string) {
		if !strings.HasPrefix(key, "cs:{") || strings.HasSuffix(key, ":i") {
			return
		}
		// Without the value behind it, the token opens nothing.
		value := node.Get(ctx, key).Val()
		b.must(node.Set(ctx, key, "", redis.KeepTTL).Err())
		if _, ok := b.load(b.Store, sess.Token()); !ok {
			found = key
		}
		b.must(node.Set(ctx, key, value, redis.KeepTTL).Err())
		if _, ok := b.load(b.Store, sess.Token()); !ok {
			b.Fatal("the value was not put back")
		}
	})
	return found
}

// keyRotation walks through a change of the session keys, node by node.
func keyRotation(b *bench) {
	before, both, after, done := b.node(Keys[0]), b.node(Keys[0], Keys[1]), b.node(Keys[1], Keys[0]), b.node(Keys[1])
	signIn := func(store *session.Store) *session.Session {
		sess, err := store.SignIn(b.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
		b.must(err)
		return sess
	}
	older, written, rotated := signIn(before), signIn(before), signIn(before)
	for _, store := range []*session.Store{both, after} {
		if _, ok := b.load(store, older.Token()); !ok {
			b.Error("a session under the old key does not open")
		}
	}
	if _, ok := b.load(done, older.Token()); ok {
		b.Error("a session opens under a key that is gone")
	}

	b.must(after.Begin(b.ctx(), rotated, Ceremony("challenge")))
	b.must(after.SetLanguage(b.ctx(), written, "de"))
	if sess, ok := b.load(done, written.Token()); !ok || sess.Language() != "de" {
		b.Error("what the new node wrote is not sealed under the new key")
	}
	renewed, err := after.SignIn(b.ctx(), session.SignIn{Old: rotated, User: alice, Method: "fido2", Client: laptop})
	b.must(err)
	newer := signIn(after)
	b.expectSpend(rotated, "challenge", Unknown)
	if outcome, err := Spend(b.ctx(), done, renewed, "challenge"); err != nil || outcome != Found {
		b.Errorf("carried to the new key: %d, %v", outcome, err)
	}

	for name, store := range map[string]*session.Store{"both": both, "after": after} {
		list, err := store.List(b.ctx(), alice.ID)
		if err != nil || len(list) != 4 {
			b.Errorf("%s: %d sessions listed, %v; want 4", name, len(list), err)
		}
	}
	if ended, err := after.End(b.ctx(), alice.ID, older.ID()); err != nil || !ended {
		b.Errorf("End of a session under the old key: %v, %v", ended, err)
	}
	b.must(after.EndOthers(b.ctx(), newer))
	for _, sess := range []*session.Session{older, written, renewed} {
		if _, ok := b.load(both, sess.Token()); ok {
			b.Error("a session under the old key was not ended")
		}
	}
	b.must(after.SignOut(b.ctx(), newer))
	b.expectEmpty("after everybody was signed out")
}

// dump reads all that Redis holds and looks for what it must not tell.
func dump(b *bench) {
	pre, sess := b.startPre(), b.signIn(nil, alice)
	b.must(b.SetLanguage(b.ctx(), sess, "tlh-Klingon"))
	for _, s := range []*session.Session{pre, sess} {
		b.must(b.Begin(b.ctx(), s, Ceremony("the-challenge-in-clear")))
		b.must(b.Begin(b.ctx(), s, push("authentication:the-request")))
	}
	secrets := []string{
		alice.ID, alice.DisplayName, alice.Email, "alice", "example.com", "password", "push", "Klingon",
		laptop.UserAgent, laptop.Address, "the-challenge", "the-request", "registration", "FIDO2", string(Keys[0]),
	}
	for _, s := range []*session.Session{pre, sess} {
		raw, err := base64.RawURLEncoding.DecodeString(s.Token())
		b.must(err)
		secrets = append(secrets, s.Token(), string(raw), hex.EncodeToString(raw))
	}
	looked := 0
	redistest.EachKey(b, b.backend.Client, func(ctx context.Context, node *redis.Client, key string) {
		held := key
		if value, err := node.Get(ctx, key).Result(); err == nil {
			held += value
		} else {
			members, err := node.ZRange(ctx, key, 0, -1).Result()
			b.must(err)
			held += strings.Join(members, "")
		}
		looked++
		for _, secret := range secrets {
			if strings.Contains(held, secret) {
				b.Errorf("Redis tells %q under %q", secret, key)
			}
		}
	})
	if looked != 9 { // two sessions, two ceremonies, two sign-ins, two indexes, a list
		b.Errorf("looked at %d keys", looked)
	}
}
