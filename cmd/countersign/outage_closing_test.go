package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Who hangs up while the platform thinks leaves nothing behind.
func TestNothingIsLeftOfWhoWentAway(t *testing.T) {
	for _, operation := range []string{"listFidoRegistrations", "generateFidoRegistrationRequest"} {
		t.Run(operation, func(t *testing.T) {
			var log lockedBuffer
			app := bootTo(t, &log)
			c := program(t, app).signedIn("alice@sandbox")
			manage(t, app, "POST", "/faults", fault{"operation": operation, "delay": "30s", "times": 0})
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
			request.Header = c.header.Clone()
			request.Header.Set("Content-Type", "application/json")
			answered := make(chan error, 1)
			go func() {
				_, err := (&http.Transport{}).RoundTrip(request)
				answered <- err
			}()
			eventually(t, "the platform is called", func() bool { return slices.Contains(journal(t, app), operation) })
			hangUp()
			if err := <-answered; err == nil {
				t.Error("who went away was answered")
			}
			eventually(t, "the request is given up", func() bool { return strings.Contains(log.String(), "key=request.cancelled") })
			http.DefaultClient.CloseIdleConnections()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

// lockedBuffer is a log to be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// closing begins to close app, and returns when nothing new is taken; how it ended
// is sent when it has.
func closing(t *testing.T, app *App) <-chan error {
	t.Helper()
	closed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), drain)
		defer cancel()
		closed <- app.Close(ctx)
	}()
	eventually(t, "nothing new is taken", func() bool {
		conn, err := net.Dial("tcp", app.public.Addr().String())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	return closed
}

// Closing lets what is under way finish, and takes nothing new.
func TestClosingLetsRequestsFinish(t *testing.T) {
	app := unopened(t, io.Discard)
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow := slowSignIn(t, app, "600ms")
	closed := closing(t, app)
	if r := <-slow; r.status != http.StatusOK {
		t.Errorf("what was under way ended in %d: %s", r.status, r.body)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// slowSignIn is a sign-in that has reached the platform and stays there for so long.
func slowSignIn(t *testing.T, app *App, long string) <-chan reply {
	t.Helper()
	manage(t, app, "POST", "/faults", fault{"operation": "login", "delay": long})
	slow := make(chan reply, 1)
	c := program(t, app)
	go func() { slow <- c.send("POST", "/users/alice@sandbox/login", rightPassword) }()
	eventually(t, "the platform is called", func() bool { return slices.Contains(journal(t, app), "login") })
	return slow
}

// The program itself drains when it is told to end: for as long as a request
// needs, and for ten seconds at most.
func TestTheProgramDrains(t *testing.T) {
	for _, tc := range []struct {
		name, delay string
		status      int // of the request under way; 0 is no answer
		exit        int
		atLeast     time.Duration
	}{
		{"a request that ends", "1s", http.StatusOK, 0, 0},
		{"a request without end", "60s", 0, 1, drain},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			watch := newTimekeeper(t)
			p := startProgram(t, "serve", "COUNTERSIGN_UPSTREAM_TIMEOUT=60s", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
			p.post(p.sandbox+"/_manage/faults", `{"operation":"login","delay":"`+tc.delay+`"}`)
			answered := make(chan int, 1)
			go func() { answered <- p.post(p.url+"/users/alice@sandbox/login", rightPassword) }()
			eventually(t, "the platform is called", func() bool { return strings.Contains(p.get(p.sandbox+"/_manage/journal"), `"login"`) })
			begin := time.Now()
			watch.within(drain+2*time.Second, "the end", func() (r reply) {
				if err := p.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				_ = p.Wait() // the exit status is looked at below
				return r
			})
			if took := time.Since(begin); took < tc.atLeast {
				t.Errorf("it ended after %v, and a request was under way", took)
			}
			if status := <-answered; status != tc.status {
				t.Errorf("the request under way ended in %d", status)
			}
			if exit := p.ProcessState.ExitCode(); exit != tc.exit {
				t.Errorf("exit status %d", exit)
			}
		})
	}
}
