package session

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/seal/sealtest"
)

// TestMemory_HoldsNoToken searches all that the memory holds for the token of a remembered
// session and for the session key.
func TestMemory_HoldsNoToken(t *testing.T) {
	secret := bytes.Repeat([]byte("key."), 8)
	keys := sealtest.Keys(secret)
	s, held := &Store{keys: keys, memory: newMemory()}, newToken()
	made := &Session{token: held, tag: held.tag(), revision: 1, state: state{ID: newID(time.Time{}), UserID: "alice@sandbox"}}
	head, body, err := s.value(made)
	if err != nil {
		t.Fatal(err)
	}
	if !s.read(&Session{token: held, tag: held.tag()}, append(head, body...)) {
		t.Fatal("the session does not open")
	}
	everything := "%s"                        // of bytes too
	dump := fmt.Sprintf(everything, s.memory) //nolint:staticcheck // The verb fits what lies in it.
	if !strings.Contains(dump, "alice@sandbox") {
		t.Fatal("the session is not remembered")
	}
	for name, hidden := range map[string][]byte{"token": held[:], "token's text": []byte(held.text()), "session key": secret} {
		if strings.Contains(dump, string(hidden)) {
			t.Errorf("the memory holds the %s", name)
		}
	}
}
