package session_test

import (
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
)

func wantShape(t testing.TB, store *session.Store, name, want string) {
	t.Helper()
	shape, found, err := store.RecallShape(t.Context(), name)
	if err != nil || shape != want || found != (want != "") {
		t.Errorf("%s: %q, %v, %v; want %q", name, shape, found, err, want)
	}
}

func remember(t testing.TB, store *session.Store, name, shape string) {
	t.Helper()
	if err := store.RememberShape(t.Context(), name, shape); err != nil {
		t.Fatal(err)
	}
}

// What one node remembers every node recalls: the last of each name.
func TestShapesAreEveryNodes(t *testing.T) {
	db := open(t, redisdb.Options{Embedded: true, Now: time.Now})
	one, two := newStore(t, db, time.Now), newStore(t, db, time.Now)
	wantShape(t, one, "FIDO2:", "")
	remember(t, one, "FIDO2:", "a")
	remember(t, one, "UAF11:", "u")
	wantShape(t, two, "FIDO2:", "a")
	remember(t, two, "FIDO2:", "b")
	wantShape(t, one, "FIDO2:", "b")
	remember(t, one, "FIDO2:", "a")
	wantShape(t, two, "FIDO2:", "a")
	wantShape(t, two, "UAF11:", "u")
	wantShape(t, two, "FIDO2:required", "")
}

// Decoys do not change their looks when Redis was emptied, on no node.
func TestShapesOutliveRedis(t *testing.T) {
	db := open(t, redisdb.Options{Embedded: true, Now: time.Now})
	one, two, fresh := newStore(t, db, time.Now), newStore(t, db, time.Now), newStore(t, db, time.Now)
	remember(t, one, "UAF11:", "u")
	wantShape(t, two, "UAF11:", "u")
	if err := db.Client.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	wantShape(t, fresh, "UAF11:", "")
	wantShape(t, two, "UAF11:", "u")
	wantShape(t, fresh, "UAF11:", "u")
	wantShape(t, one, "UAF11:", "u")
}

// Without Redis nobody knows what a decoy looks like, and none is made.
func TestShapesInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	store := newStore(t, open(t, redisdb.Options{URL: server.URL()}), time.Now)
	remember(t, store, "FIDO2:", "a")
	server.Kill()
	if shape, _, err := store.RecallShape(t.Context(), "FIDO2:"); !fault.Is(err, fault.SessionUnavailable) {
		t.Errorf("recalled %q, %v", shape, err)
	}
	if err := store.RememberShape(t.Context(), "FIDO2:", "b"); !fault.Is(err, fault.SessionUnavailable) {
		t.Errorf("remembered, %v", err)
	}
}
