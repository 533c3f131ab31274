package platform_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

// An answer about another user is refused, and so is what may come behind it.
func TestSubject_AnotherUser(t *testing.T) {
	var answer string
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	for _, c := range []struct {
		named, domain string
		fine          bool // it is alice@sandbox
	}{
		{"alice", "sandbox", true}, {"alice", "", true}, {"alice@sandbox", "", true}, {"", "sandbox", true},
		{"Alice", "Sandbox", true}, {"ALICE@sandbox", "", true},
		{"bob", "sandbox", false}, {"alice", "other", false}, {"alice@other", "", false}, {"bob", "", false}, {"alice2", "sandbox", false},
	} {
		answer = fmt.Sprintf(`{"displayName":"A","enabled":true,"userID":%q,"domain":%q,"locked":false}`, c.named, c.domain)
		for _, exact := range []bool{false, true} {
			client := at(t, server.URL, identityapi.Options{ExactCase: exact})
			connections.Store(0)
			for range 2 {
				if _, err := client.User(t.Context(), alice); c.fine && err != nil || !c.fine && !fault.Is(err, fault.PlatformFailed) {
					t.Errorf("%s, exact %v: %v", answer, exact, err)
				}
			}
			if n := connections.Load(); c.fine != (n == 1) {
				t.Errorf("%s, exact %v: %d connections", answer, exact, n)
			}
		}
	}
}

// Whatever the platform answers when, nobody gets the account of another user.
func TestSubject_HostilePlatform(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			body := fmt.Sprintf(`{"userID":%q,"enabled":true,"locked":false}`, path.Base(r.URL.Path))
			fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			if out.Flush() != nil {
				return
			}
			fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			if out.Flush() != nil {
				return
			}
			if r, err = http.ReadRequest(out.Reader); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	client := at(t, server.URL, identityapi.Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 25 {
				user := fmt.Sprintf("u%d@sandbox", i)
				got, err := client.User(t.Context(), user)
				if err == nil && got.UserID != user {
					t.Errorf("%s got %s", user, got.UserID)
				}
			}
		})
	}
	all.Wait()
}
