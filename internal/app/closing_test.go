package app_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// Who hangs up while the platform thinks leaves nothing behind.
func TestNothingIsLeftOfWhoWentAway(t *testing.T) {
	for _, operation := range []string{"listFidoRegistrations", "generateFidoRegistrationRequest"} {
		t.Run(operation, func(t *testing.T) {
			var log logtest.Log
			app := e2etest.BootTo(t, &log)
			c := e2etest.Program(t, app).SignedIn("alice@sandbox")
			e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": operation, "delay": "30s", "times": 0})
			before := goleak.IgnoreCurrent()
			method, path, body := "GET", "/users/me/authenticators", ""
			if operation != "listFidoRegistrations" {
				method, path, body = "POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`
			}
			ctx, hangUp := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, method, app.URL()+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header = c.Header.Clone()
			request.Header.Set("Content-Type", "application/json")
			answered := make(chan error, 1)
			go func() {
				_, err := (&http.Transport{}).RoundTrip(request)
				answered <- err
			}()
			e2etest.Eventually(t, "the platform is called", func() bool { return slices.Contains(e2etest.Journal(t, app), operation) })
			hangUp()
			if err := <-answered; err == nil {
				t.Error("who went away was answered")
			}
			e2etest.Eventually(t, "the request is given up", func() bool { return strings.Contains(log.String(), "key=request.cancelled") })
			http.DefaultClient.CloseIdleConnections()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

// closing begins to close app, and returns when nothing new is taken; how it ended
// is sent when it has.
func closing(t *testing.T, app *e2etest.App) <-chan error {
	t.Helper()
	closed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		closed <- app.Close(ctx)
	}()
	e2etest.Eventually(t, "nothing new is taken", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(app.ListenURL(), "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	return closed
}

// Closing lets what is under way finish, and takes nothing new.
func TestClosingLetsRequestsFinish(t *testing.T) {
	app := e2etest.Unopened(t, io.Discard)
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow := slowSignIn(t, app, "600ms")
	closed := closing(t, app)
	if r := <-slow; r.Status != http.StatusOK {
		t.Errorf("what was under way ended in %d: %s", r.Status, r.Body)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// slowSignIn is a sign-in that has reached the platform and stays there for so long.
func slowSignIn(t *testing.T, app *e2etest.App, long string) <-chan e2etest.Reply {
	t.Helper()
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "login", "delay": long})
	slow := make(chan e2etest.Reply, 1)
	c := e2etest.Program(t, app)
	go func() { slow <- c.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword) }()
	e2etest.Eventually(t, "the platform is called", func() bool { return slices.Contains(e2etest.Journal(t, app), "login") })
	return slow
}
