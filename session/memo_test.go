package session

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/seal"
)

// TestMemoIsBounded remembers more sessions than the memo holds: those that come again
// stay.
func TestMemoIsBounded(t *testing.T) {
	m, head := newMemo(), header{state: []byte("sealed")}
	named := func(n int) (t tag) {
		binary.BigEndian.PutUint64(t[:], uint64(n))
		return t
	}
	for i := range 5 * memoSize {
		m.put(named(i), head, state{UserID: fmt.Sprint(i)})
		if _, ok := m.get(named(0), head); !ok {
			t.Fatalf("a session in use is forgotten after %d others", i)
		}
	}
	if n := len(m.younger) + len(m.older); n > 2*memoSize {
		t.Errorf("%d sessions are remembered", n)
	}
	if _, ok := m.get(named(1), head); ok {
		t.Error("a session that never came again is remembered")
	}
	m.forget(named(0))
	if _, ok := m.get(named(0), head); ok {
		t.Error("what was forgotten is remembered")
	}
}

// TestMemoHoldsNoToken looks for the token of a session that is remembered, and for the
// session key, in all that the memo holds.
func TestMemoHoldsNoToken(t *testing.T) {
	secret := bytes.Repeat([]byte("key."), 8)
	keys, err := seal.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	s, held := &Store{keys: keys, memo: newMemo()}, newToken()
	made := &Session{token: held, tag: held.tag(), revision: 1, state: state{ID: newID(), UserID: "alice@sandbox"}}
	head, body, err := s.value(made)
	if err != nil {
		t.Fatal(err)
	}
	if !s.read(&Session{token: held, tag: held.tag()}, append(head, body...)) {
		t.Fatal("the session does not open")
	}
	if len(s.memo.younger) != 1 {
		t.Fatalf("%d sessions are remembered", len(s.memo.younger))
	}
	dump := strings.Join(flat(s.memo.younger), " ")
	for name, hidden := range map[string][]byte{"token": held[:], "token's text": []byte(held.text()), "session key": secret} {
		if strings.Contains(dump, string(hidden)) {
			t.Errorf("the memo holds the %s", name)
		}
	}
}

// flat is every byte that the memo holds.
func flat(known map[tag]opened) (all []string) {
	for t, o := range known {
		all = append(all, string(t[:]), o.sealed, string(o.state.ID), o.state.UserID, o.state.DisplayName, o.state.Email, o.state.Language)
	}
	return all
}
