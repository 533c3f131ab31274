package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A platform that refuses to speak of a sign-in says so of those that it never
// knew as well: whoever polls learns nothing of an account by it.
func TestAPollTellsNothingOfTheAccount(t *testing.T) {
	app := boot(t)
	for _, said := range []map[string]any{
		{"status": 400}, {"status": 404}, {"status": 409}, {"error": "Invalid Request ID"}, {"error": "User is disabled"},
		{"error": "User account not found"}, {"body": map[string]any{"sessionStatus": "pending"}},
	} {
		for _, user := range []string{"alice", "dave", "nobody"} {
			c := program(t, app)
			id := push(c, user+"@sandbox").text("requestID")
			said["operation"] = "sessionStatus"
			manage(t, app, "POST", "/faults", said)
			if r := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK); r.text("sessionStatus") != "pending" {
				t.Errorf("%v, asked about %s: %s", said, user, r.body)
			}
		}
	}
	// Whoever is signed in asks about their own transaction, and is told.
	c := program(t, app).signedIn("alice@sandbox")
	id := c.send("POST", "/users/me/transactions/validate", pushedTransaction).want(http.StatusAccepted).text("requestID")
	manage(t, app, "POST", "/faults", map[string]any{"operation": "sessionStatus", "error": "User is disabled"})
	c.send("GET", "/sessions/"+id, nil).refused(http.StatusConflict, "account.disabled")
}

// countingLine is a way to the platform that counts who is on it.
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

// countPlatform has the platform listen again, where its connections are counted.
func countPlatform(t *testing.T, app *App) *countingLine {
	t.Helper()
	address := app.platform.Addr().String()
	if err := app.platform.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := listen(t.Context(), "platform", address)
	if err != nil {
		t.Fatal(err)
	}
	line := &countingLine{Listener: again.Listener}
	again.Listener = line
	again.serve(app.sandbox, app.logger, app.failed)
	app.platform = again
	return line
}

// inside is how many goroutines of the program have function on their stack, as
// its own profile tells.
func inside(t *testing.T, app *App, function string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.AdminURL()+"/debug/pprof/goroutine?debug=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	profile, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for stack := range strings.SplitSeq(string(profile), "\n\n") {
		if strings.Contains(stack, function+"(") {
			n++
		}
	}
	return n
}

// Two hundred people wait for their devices: between two polls they cost nothing
// but their sessions, and once they have hung up in the middle of one, nothing
// is left of it, here or at the platform.
func TestWhoWaitsCostsThePlatformNothing(t *testing.T) {
	const crowd, lanes, few = 200, 8, 50
	app := boot(t, "UPSTREAM_TIMEOUT=60s")
	line := countPlatform(t, app)
	waiting, ids := make([]*client, crowd), make([]string, crowd)
	for i := range waiting {
		waiting[i] = program(t, app)
		ids[i] = push(waiting[i], "alice@sandbox").text("requestID")
	}
	var lane sync.WaitGroup
	for first := range lanes {
		lane.Go(func() {
			for i := first; i < crowd; i += lanes {
				if r := waiting[i].send("GET", "/sessions/"+ids[i], nil); r.status != http.StatusOK {
					t.Errorf("a poll: %d %s", r.status, r.body)
				}
			}
		})
	}
	lane.Wait()
	if line.most.Load() > few {
		t.Errorf("%d connections to the platform for %d who wait, %d polling at a time", line.most.Load(), crowd, lanes)
	}

	manage(t, app, "POST", "/faults", map[string]any{"operation": "sessionStatus", "delay": "10m", "times": 0})
	const polling, calling = "handlers.SignIn.Status", "upstream.(*Client).once"
	ctx, hangUp := context.WithCancel(t.Context())
	answered := make(chan error, crowd)
	for i, c := range waiting {
		go func() { answered <- c.hangsOn(ctx, "/sessions/"+ids[i]) }()
	}
	eventually(t, "all of them are waited for", func() bool { return inside(t, app, calling) == crowd })
	if n := inside(t, app, polling); n != crowd {
		t.Errorf("%d goroutines poll, not %d", n, crowd)
	}
	hangUp()
	for range crowd {
		if err := <-answered; err == nil {
			t.Error("who hung up was answered")
		}
	}
	eventually(t, "they are gone", func() bool {
		return inside(t, app, polling) == 0 && inside(t, app, calling) == 0 && line.open.Load() <= few
	})
	manage(t, app, "POST", "/reset", nil)
	if r := waiting[0].send("GET", "/sessions/"+ids[0], nil).want(http.StatusOK); r.text("sessionStatus") == "" {
		t.Errorf("who comes back: %s", r.body)
	}
}

// hangsOn asks over a connection of its own until ctx ends.
func (c *client) hangsOn(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.app.URL()+path, nil)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	request.Header = c.header.Clone()
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	response, err := own.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// HEAD looks, and takes nothing: the answer that would carry the session has no
// body.
func TestLookingAtAPushDoesNotEndIt(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	id := push(c, "alice@sandbox").text("requestID")
	manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
	c.send("HEAD", "/sessions/"+id, nil).want(http.StatusOK)
	if r := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK); r.text("sessionToken") == "" {
		t.Errorf("no session is left: %s", r.body)
	}
}
