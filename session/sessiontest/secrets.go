package sessiontest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal/sealtest"
	"countersign/session"

	"github.com/redis/go-redis/v9"
)

// tampering changes each byte of a session's value except its last use, and swaps values
// between sessions and records: a value that does not open counts as absent, not as an
// outage.
func tampering(f *fixture) {
	sess, other := f.signIn(nil, alice), f.signIn(nil, bob)
	client, key := f.backend.Client, sessionKey(f, sess)
	value, err := client.Get(f.ctx(), key).Result()
	f.must(err)
	// The details in between are sealed for the person and not opened here.
	for i := range len(value) {
		if i >= 8 && i < 16 || i >= 18 && i < len(value)-60 {
			continue
		}
		forged := []byte(value)
		forged[i] ^= 1
		f.must(client.Set(f.ctx(), key, forged, Idle).Err())
		f.gone(sess.Token(), "a bit of its value was changed")
	}
	for name, forged := range map[string]string{"empty": "", "cut": value[:len(value)/2], "a header alone": value[:18], "another's": client.Get(f.ctx(), sessionKey(f, other)).Val()} {
		f.must(client.Set(f.ctx(), key, forged, Idle).Err())
		f.gone(sess.Token(), "its value is "+name)
	}
	f.must(client.Set(f.ctx(), key, value, Idle).Err())
	f.alive(sess.Token(), "its value is as it was")
	exchangedRecords(f, sess)
}

// exchangedRecords replaces the record of one challenge by another's.
func exchangedRecords(f *fixture, sess *session.Session) {
	f.must(f.Put(f.ctx(), sess, Ceremony("one")))
	f.must(f.Put(f.ctx(), sess, Ceremony("two")))
	var keys []string
	redistest.EachKey(f, f.backend.Client, func(_ context.Context, _ redis.Cmdable, key string) {
		if strings.Contains(key, ":c:") {
			keys = append(keys, key)
		}
	})
	if len(keys) != 2 {
		f.Fatalf("ceremonies: %q", keys)
	}
	f.must(f.backend.Client.Set(f.ctx(), keys[0], f.backend.Client.Get(f.ctx(), keys[1]).Val(), RecordTTL).Err())
	one, err := Spend(f.ctx(), f.Store, sess, "one")
	f.must(err)
	two, err := Spend(f.ctx(), f.Store, sess, "two")
	f.must(err)
	if one+two != Found+Unknown {
		f.Errorf("one exchanged for the other: %d, %d", one, two)
	}
}

// sessionKey returns the Redis key of sess, the only session of its person.
func sessionKey(f *fixture, sess *session.Session) string {
	f.Helper()
	found := ""
	redistest.EachKey(f, f.backend.Client, func(ctx context.Context, node redis.Cmdable, key string) {
		if !strings.HasPrefix(key, "cs:{") || strings.HasSuffix(key, ":i") {
			return
		}
		// The key is right if the token opens nothing without its value.
		value := node.Get(ctx, key).Val()
		f.must(node.Set(ctx, key, "", redis.KeepTTL).Err())
		if _, ok := f.load(f.Store, sess.Token()); !ok {
			found = key
		}
		f.must(node.Set(ctx, key, value, redis.KeepTTL).Err())
		if _, ok := f.load(f.Store, sess.Token()); !ok {
			f.Fatal("the value was not put back")
		}
	})
	return found
}

// keyReplacement changes the session keys of a node that goes on.
func keyReplacement(f *fixture) {
	keys := sealtest.Keys(Keys[0])
	options := f.options(Keys[0])
	options.Keys = keys
	store, err := session.NewStore(options)
	f.must(err)
	signIn := func() *session.Session {
		sess, err := store.SignIn(f.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
		f.must(err)
		return sess
	}
	older := signIn()
	f.must(keys.Replace(Keys[0], Keys[1]))
	between := signIn()
	f.must(keys.Replace(Keys[1], Keys[0]))
	newer := signIn()
	for name, sess := range map[string]*session.Session{"older": older, "between": between, "newer": newer} {
		if _, ok := f.load(store, sess.Token()); !ok {
			f.Errorf("%s: the session does not open", name)
		}
	}
	if list, err := store.List(f.ctx(), alice.ID); err != nil || len(list) != 3 {
		f.Errorf("%d sessions listed, %v; want 3", len(list), err)
	}
	if _, ok := f.load(f.node(Keys[1]), newer.Token()); !ok {
		f.Error("the new key, once it is first, does not seal")
	}
	if _, ok := f.load(f.node(Keys[1]), between.Token()); ok {
		f.Error("a key that is not first seals")
	}
}

// keyRotation changes the session keys node by node.
func keyRotation(f *fixture) {
	before, both, after, done := f.node(Keys[0]), f.node(Keys[0], Keys[1]), f.node(Keys[1], Keys[0]), f.node(Keys[1])
	signIn := func(store *session.Store) *session.Session {
		sess, err := store.SignIn(f.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
		f.must(err)
		return sess
	}
	older, written, rotated := signIn(before), signIn(before), signIn(before)
	for _, store := range []*session.Store{both, after} {
		if _, ok := f.load(store, older.Token()); !ok {
			f.Error("a session under the old key does not open")
		}
	}
	if _, ok := f.load(done, older.Token()); ok {
		f.Error("a session opens under a key that is gone")
	}

	f.must(after.Put(f.ctx(), rotated, Ceremony("challenge")))
	f.must(after.SetLanguage(f.ctx(), written, "de"))
	if sess, ok := f.load(done, written.Token()); !ok || sess.Language() != "de" {
		f.Error("what the new node wrote is not sealed under the new key")
	}
	renewed, err := after.SignIn(f.ctx(), session.SignIn{Old: rotated, User: alice, Method: "fido2", Client: laptop})
	f.must(err)
	newer := signIn(after)
	f.expectSpend(rotated, "challenge", Unknown)
	if outcome, err := Spend(f.ctx(), done, renewed, "challenge"); err != nil || outcome != Found {
		f.Errorf("carried to the new key: %d, %v", outcome, err)
	}

	for name, store := range map[string]*session.Store{"both": both, "after": after} {
		list, err := store.List(f.ctx(), alice.ID)
		if err != nil || len(list) != 4 {
			f.Errorf("%s: %d sessions listed, %v; want 4", name, len(list), err)
		}
	}
	if ended, err := after.End(f.ctx(), alice.ID, older.ID()); err != nil || !ended {
		f.Errorf("End of a session under the old key: %v, %v", ended, err)
	}
	f.must(after.EndOthers(f.ctx(), newer))
	for _, sess := range []*session.Session{older, written, renewed} {
		if _, ok := f.load(both, sess.Token()); ok {
			f.Error("a session under the old key was not ended")
		}
	}
	f.must(after.SignOut(f.ctx(), newer))
	f.expectEmpty("after everybody was signed out")
}

// dump searches all data in Redis for secrets that it must not contain.
func dump(f *fixture) {
	pre, sess := f.startPre(), f.signIn(nil, alice)
	f.must(f.SetLanguage(f.ctx(), sess, "tlh-Klingon"))
	for _, s := range []*session.Session{pre, sess} {
		f.must(f.Put(f.ctx(), s, Ceremony("the-challenge-in-clear")))
		f.must(f.Put(f.ctx(), s, push("authentication:the-request")))
	}
	secrets := []string{
		alice.ID, alice.DisplayName, alice.Email, "alice", "example.com", "password", "push", "Klingon",
		laptop.UserAgent, laptop.Address, "the-challenge", "the-request", "registration", "FIDO2", string(Keys[0]),
	}
	for _, s := range []*session.Session{pre, sess} {
		raw, err := base64.RawURLEncoding.DecodeString(s.Token())
		f.must(err)
		secrets = append(secrets, s.Token(), string(raw), hex.EncodeToString(raw))
	}
	looked := 0
	redistest.EachKey(f, f.backend.Client, func(ctx context.Context, node redis.Cmdable, key string) {
		held := key
		if value, err := node.Get(ctx, key).Result(); err == nil {
			held += value
		} else {
			members, err := node.ZRange(ctx, key, 0, -1).Result()
			f.must(err)
			held += strings.Join(members, "")
		}
		looked++
		for _, secret := range secrets {
			if strings.Contains(held, secret) {
				f.Errorf("Redis tells %q under %q", secret, key)
			}
		}
	})
	if looked != 9 { // two sessions, two ceremonies, two sign-ins, two indexes, a list
		f.Errorf("looked at %d keys", looked)
	}
}
