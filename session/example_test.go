package session_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"countersign/internal/redisdb"
	"countersign/session"
)

// A person signs in, an app presents the token, and after the sign-out it opens nothing.
func Example() {
	now := func() time.Time { return time.Date(2026, time.May, 6, 12, 0, 0, 0, time.UTC) }
	db, err := redisdb.Open(redisdb.Options{Embedded: true, Now: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	store, err := session.NewStore(options(db, now))
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	begun, err := store.SignIn(ctx, session.SignIn{User: session.User{ID: "alice@example", DisplayName: "Alice"}, Method: "password", Bearer: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	look := func() {
		r := httptest.NewRequest(http.MethodGet, "/session", nil)
		r.Header.Set("Authorization", "Bearer "+begun.Token())
		found, live, err := store.Load(r)
		if err != nil || !live {
			fmt.Println("signed out", err)
			return
		}
		user, _ := found.User()
		idle, absolute := found.Remaining(now())
		fmt.Println(user.DisplayName, found.Methods(), idle <= absolute)
	}
	look()
	if err := store.SignOut(ctx, begun); err != nil {
		fmt.Println(err)
		return
	}
	look()
	// Output:
	// Alice [password] true
	// signed out <nil>
}
