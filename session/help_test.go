package session_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/redisdb"
	"countersign/internal/seal/sealtest"
	"countersign/session"
	"countersign/session/sessiontest"
)

func options(db *redisdb.DB, now func() time.Time) session.Options {
	proofs, err := dpop.NewVerifier(sessiontest.Origin, nil, now)
	if err != nil {
		panic(err) // the origin is fixed
	}
	return session.Options{
		Redis: db.Client, Keys: sealtest.Keys(sessiontest.Keys[0]), CookieName: sessiontest.CookieName, Secure: true,
		Idle: sessiontest.Idle, Lifetime: sessiontest.Lifetime, RecordTTL: sessiontest.RecordTTL, Timeout: db.Timeout(), Now: now,
		Proofs: proofs,
	}
}

func newStore(t testing.TB, db *redisdb.DB, now func() time.Time) *session.Store {
	t.Helper()
	store, err := session.NewStore(options(db, now))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func signIn(t testing.TB, store *session.Store, old *session.Session, user session.User) *session.Session {
	t.Helper()
	sess, err := store.SignIn(t.Context(), session.SignIn{Old: old, User: user, Method: "password"})
	if err != nil {
		t.Fatal(err)
	}
	return sess
}

// bearer returns a request of the app that holds sess.
func bearer(sess *session.Session) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/session", nil)
	r.Header.Set("Authorization", "Bearer "+sess.Token())
	return r
}
