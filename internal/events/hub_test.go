package events_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/events"
	"countersign/internal/leaktest"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// patience limits the waits of a test; a busy machine may need that long.
const patience = time.Minute

// lifetime is the Lifetime of the test's hubs.
const lifetime = 5 * time.Minute

// node is a running hub with a clock that the test moves.
type node struct {
	*events.Hub
	redis *redisdb.DB

	mu  sync.Mutex
	now time.Time
}

func newNode(t *testing.T, most int, others ...*node) *node {
	t.Helper()
	n := &node{now: time.Now()}
	if len(others) > 0 {
		n.redis = others[0].redis
	} else {
		n.redis = dbtest.Open(t, redisdb.Options{Embedded: true, Now: time.Now})
	}
	n.Hub = events.New(events.Options{
		Redis: n.redis, Channel: "hints", Lifetime: lifetime, Max: most,
		Logger: slog.New(slog.DiscardHandler), Now: n.clock,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return n
}

func (n *node) clock() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

func (n *node) advance(by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = n.now.Add(by)
}

// thing is a watched topic whose state the test sets.
type thing struct {
	mu    sync.Mutex
	state events.State
	err   error
	reads int
	held  chan struct{} // not nil: reading waits for it
}

func newThing(status string) *thing {
	x := &thing{}
	x.set(status, false)
	return x
}

func (x *thing) set(status string, over bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = events.State{Over: over, Facts: []events.Fact{{Name: "state", Data: []byte(`{"status":"` + status + `"}`)}}}
}

func (x *thing) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = err
}

func (x *thing) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reads
}

func (x *thing) fetch(context.Context) (events.State, error) {
	x.mu.Lock()
	x.reads++
	held := x.held
	x.mu.Unlock()
	if held != nil {
		<-held
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.state, x.err
}

func (x *thing) watcher(session string) events.Watcher {
	return events.Watcher{Topic: "thing", Fetch: x.fetch, Person: events.Person{User: session}, Session: session, Live: func(context.Context) (bool, error) { return true, nil }}
}

// join joins, and leaves when the test is over.
func (n *node) join(t *testing.T, who events.Watcher) *events.Watch {
	t.Helper()
	w, err := n.Join(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.End)
	return w
}

// stream is the client's end of a stream.
type stream struct {
	t *testing.T
	net.Conn
	*bufio.Reader
}

// watch joins and streams.
func (n *node) watch(t *testing.T, who events.Watcher) *stream {
	t.Helper()
	client, server := connection(t)
	n.join(t, who).Stream(server, nil)
	return &stream{t, client, bufio.NewReader(client)}
}

// connection returns a TCP connection, because a pipe has no buffer.
func connection(t *testing.T) (client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if client, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if server, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// next returns the next message, its lines joined by "|", or "" at the end of the stream.
func (s *stream) next() string {
	s.t.Helper()
	s.SetReadDeadline(time.Now().Add(patience))
	var lines []string
	for {
		line, err := s.ReadString('\n')
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
			return strings.Join(lines, "|")
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if line == "\n" {
			return strings.Join(lines, "|")
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}

func (s *stream) want(messages ...string) {
	s.t.Helper()
	for _, want := range messages {
		if got := s.next(); got != want {
			s.t.Fatalf("the stream says %q, want %q", got, want)
		}
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not within %v", what, patience)
		case <-tick.C:
		}
	}
}
