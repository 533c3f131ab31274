package signin_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// countingLine is a connection to the platform that counts its users.
type countingLine struct {
	net.Listener
	open, most, all atomic.Int64
}

type countedConn struct {
	net.Conn
	line *countingLine
	once sync.Once
}

func (l *countingLine) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.all.Add(1)
	now := l.open.Add(1)
	for most := l.most.Load(); now > most && !l.most.CompareAndSwap(most, now); most = l.most.Load() {
	}
	return &countedConn{Conn: conn, line: l}, nil
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.line.open.Add(-1) })
	return c.Conn.Close()
}

// Two hundred people wait for their devices: between two polls they cost nothing but
// their sessions, and after hanging up during one they leave nothing behind, here or at
// the platform.
func TestWhoWaitsCostsThePlatformNothing(t *testing.T) {
	const people, lanes, few = 200, 8, 50
	app, platform := e2etest.BootApart(t, "UPSTREAM_TIMEOUT=10m", "REMOTE_TRANSACTION_TIMEOUT=10m") // longer than it takes until all of them poll
	platform.Stop()
	line := &countingLine{Listener: platform.Listen()}
	platform.Serve(line)
	waiting, ids := make([]*e2etest.Client, people), make([]string, people)
	for i := range waiting {
		waiting[i] = e2etest.Program(t, app)
		ids[i] = e2etest.Push(waiting[i], "alice@sandbox").Text("requestID")
	}
	var lane sync.WaitGroup
	for first := range lanes {
		lane.Go(func() {
			for i := first; i < people; i += lanes {
				var r e2etest.Reply
				e2etest.Eventually(t, "a poll is answered", func() bool { // except if Redis answers too late on a busy machine
					r = waiting[i].Send("GET", "/sessions/"+ids[i], nil)
					return r.Status != http.StatusServiceUnavailable
				})
				if r.Status != http.StatusOK {
					t.Errorf("a poll: %d %s", r.Status, r.Body)
				}
			}
		})
	}
	lane.Wait()
	if line.most.Load() > few {
		t.Errorf("%d connections to the platform for %d who wait, %d polling at a time", line.most.Load(), people, lanes)
	}

	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "sessionStatus", "delay": "10m", "times": 0})
	const polling, calling = "identity.SignIn.Status", "upstream.(*Client).once"
	ctx, hangUp := context.WithCancel(t.Context())
	answered := make(chan error, people)
	for i, c := range waiting {
		go func() { answered <- hangsOn(c, ctx, "/sessions/"+ids[i]) }()
	}
	e2etest.Eventually(t, "all of them are waited for", func() bool {
		if len(answered) > 0 {
			t.Fatal(<-answered)
		}
		return e2etest.Inside(t, app, calling) == people
	})
	if n := e2etest.Inside(t, app, polling); n != people {
		t.Errorf("%d goroutines poll, not %d", n, people)
	}
	hangUp()
	for range people {
		if err := <-answered; !errors.Is(err, context.Canceled) {
			t.Errorf("who hung up was answered: %v", err)
		}
	}
	e2etest.Eventually(t, "they are gone", func() bool {
		return e2etest.Inside(t, app, polling) == 0 && e2etest.Inside(t, app, calling) == 0 && line.open.Load() <= few
	})
	e2etest.Manage(t, app, "POST", "/reset", nil)
	if r := waiting[0].Send("GET", "/sessions/"+ids[0], nil).Want(http.StatusOK); r.Text("sessionStatus") == "" {
		t.Errorf("who comes back: %s", r.Body)
	}
}

// hangsOn polls over a connection of its own until ctx ends, and repeats if the platform
// was asked a moment ago or Redis answers too late on a busy machine.
func hangsOn(c *e2etest.Client, ctx context.Context, path string) error {
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	pause := time.NewTicker(100 * time.Millisecond)
	defer pause.Stop()
	for ; ; <-pause.C {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.App.ListenURL()+path, nil)
		if err != nil {
			return fmt.Errorf("request: %w", err)
		}
		request.Host, request.Header = c.App.Host(), c.Header.Clone()
		response, err := own.RoundTrip(request)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusServiceUnavailable {
			return fmt.Errorf("answered %d", response.StatusCode)
		}
	}
}

// HEAD looks without ending the push: the answer that would carry the session has no
// body.
func lookingAtAPushDoesNotEndIt(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	id := e2etest.Push(c, "alice@sandbox").Text("requestID")
	e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
	c.Send("HEAD", "/sessions/"+id, nil).Want(http.StatusOK)
	if r := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK); r.Text("sessionToken") == "" {
		t.Errorf("no session is left: %s", r.Body)
	}
}
