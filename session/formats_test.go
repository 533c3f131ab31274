package session

import (
	"bytes"
	"slices"
	"testing"
	"testing/quick"
	"time"

	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
)

func FuzzToken(f *testing.F) {
	for _, text := range []string{"", "x", newToken().text(), newToken().text()[:42] + "=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if token, ok := parseToken(text); ok && token.text() != text {
			t.Errorf("%q is a second spelling of %q", text, token.text())
		}
	})
}

func FuzzValue(f *testing.F) {
	store, sess := example(f)
	head, body, err := store.value(sess)
	if err != nil {
		f.Fatal(err)
	}
	good := append(head, body...)
	f.Add(good)
	f.Add(good[:headerSize])
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, value []byte) {
		read := &Session{token: sess.token}
		if store.read(read, value) && !slices.Equal(value[detailsAt:], body) {
			t.Errorf("a value that nobody wrote opens: %x", value)
		}
	})
}

func TestValue_RoundTrip(t *testing.T) {
	store, sess := example(t)
	head, body, err := store.value(sess)
	if err != nil {
		t.Fatal(err)
	}
	read := &Session{token: sess.token, tag: sess.tag, fresh: true}
	if !store.read(read, append(head, body...)) {
		t.Fatal("it does not open")
	}
	if read.revision != sess.revision || !read.touched.Equal(sess.touched.Truncate(time.Millisecond)) || !slices.Equal(read.details, sess.details) {
		t.Errorf("header: %d, %v, %x", read.revision, read.touched, read.details)
	}
	user, _ := read.User()
	if want, _ := sess.User(); user != want || read.ID() != sess.ID() || !slices.Equal(read.Methods(), sess.Methods()) || read.Bearer() != sess.Bearer() {
		t.Errorf("state: %+v, want %+v", read.state, sess.state)
	}
}

func TestEntry_SealedPerPerson(t *testing.T) {
	store := &Store{now: time.Now, memory: newMemory(), keys: sealtest.Keys(bytes.Repeat([]byte{1}, seal.KeyLength), bytes.Repeat([]byte{2}, seal.KeyLength))}
	people, bob := store.people("alice@sandbox"), store.people("bob@sandbox")[0]
	alice, older := people[0], people[1]
	if alice.list == older.list || alice.list == bob.list {
		t.Error("two lists have one name")
	}
	sess := store.newSession(false)
	tag, member := sess.tag, alice.entry(sess).member
	if len(member) > 64 {
		t.Errorf("an entry of %d bytes: Redis keeps a list in one piece up to 64", len(member))
	}
	if alice.entry(sess).member != member {
		t.Error("the same entry looks different, and could not be removed")
	}
	if e, ok := alice.read(member); !ok || e.tag != tag || !bytes.Equal(e.id, sess.state.ID) || e.createdAt != sess.state.CreatedAt {
		t.Errorf("read: %+v, %v", e, ok)
	}
	for name, p := range map[string]person{"another person": bob, "another key": older} {
		if _, ok := p.read(member); ok {
			t.Errorf("%s reads it", name)
		}
		if _, ok := p.open(tag, alice.seal(tag, []byte("details"))); ok {
			t.Errorf("%s opens the details", name)
		}
	}
	if _, ok := alice.open(newToken().tag(), alice.seal(tag, []byte("details"))); ok {
		t.Error("details open beside another session")
	}
	if err := quick.Check(func(noise string) bool { _, ok := alice.read(noise); return !ok }, nil); err != nil {
		t.Error(err)
	}
}

func TestMethods_KnownNames(t *testing.T) {
	var m methods
	for _, name := range []string{"fido2", "password", "fido2", "push", "otp", "uaf", "password"} {
		var ok bool
		if m, ok = m.with(name); !ok {
			t.Errorf("%s is no method", name)
		}
	}
	if got := m.names(); !slices.Equal(got, []string{"fido2", "password", "push", "otp", "uaf"}) {
		t.Errorf("methods %q", got)
	}
	if _, ok := m.with("magic"); ok {
		t.Error("magic is a method")
	}
	if got := (methods{1, 99}).names(); !slices.Equal(got, []string{"fido2"}) {
		t.Errorf("a method of a newer version is told as %q", got)
	}
}

func example(t testing.TB) (*Store, *Session) {
	t.Helper()
	store := &Store{memory: newMemory(), keys: sealtest.Keys(make([]byte, seal.KeyLength)), idle: time.Hour, lifetime: time.Hour, recordTTL: time.Minute, now: time.Now}
	sess := store.newSession(true)
	SignIn{User: User{ID: "alice@sandbox", DisplayName: "Alice", Email: "alice@example.com"}, Method: "fido2"}.authenticate(sess)
	if err := store.sealDetails(sess, store.people("alice@sandbox")[0], Client{UserAgent: "agent", Address: "192.0.2.1"}); err != nil {
		t.Fatal(err)
	}
	return store, sess
}

// A browser's key shows while browsers are asked for it; without that it guards nothing.
func TestList_ShowsKeysInEffect(t *testing.T) {
	store, sess := example(t)
	shown := func() bool {
		t.Helper()
		listed, ok := store.listed(liveEntry{entry: store.people("alice@sandbox")[0].entry(sess), header: header{details: sess.details}})
		if !ok || listed.UserAgent != "agent" {
			t.Fatalf("listed %v, %v", listed, ok)
		}
		return listed.Bound
	}
	store.bindBrowsers = true
	if shown() {
		t.Error("bound without a key")
	}
	if store.showBound(sess); !shown() {
		t.Error("not bound with one")
	}
	if store.bindBrowsers = false; shown() {
		t.Error("bound though no browser is asked")
	}
}
