package events_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/events"
	"countersign/internal/fault"
)

const (
	first  = `id: 1|event: state|data: {"status":"new"}`
	second = `id: 2|event: state|data: {"status":"completed"}`
	done   = `id: 3|event: done|data: {}`
	over   = "" // the end of the stream
)

// A watcher receives all facts, then the changes, then the end.
func TestWatcher_ReceivesFactsChangesEnd(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	s := n.watch(t, x.watcher("a"))
	s.want(first)
	x.set("completed", true)
	n.advance(2 * time.Second)
	s.want(second, done, over)
	if w := n.join(t, x.watcher("a")); !w.Over() {
		t.Error("it is not over for who comes now")
	}
}

// A fact that does not change is not sent again.
func TestWatcher_UnchangedFactNotSent(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	s := n.watch(t, x.watcher("a"))
	s.want(first)
	for reads := 2; reads < 4; reads++ {
		n.advance(2 * time.Second)
		eventually(t, "it is read again", func() bool { return x.count() == reads })
	}
	x.set("completed", true)
	n.advance(2 * time.Second)
	s.want(second)
}

// Ids continue after the last one that the client received.
func TestStream_IDsContinue(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	who := x.watcher("a")
	who.After = 41
	n.watch(t, who).want(`id: 42|event: state|data: {"status":"new"}`)
}

// A topic is read once for all its watchers, even if they come at once.
func TestTopic_ReadOnceForAll(t *testing.T) {
	n, x := newNode(t, 100), newThing("new")
	const watchers = 20
	x.held = make(chan struct{})
	joined := make(chan *events.Watch, watchers)
	for i := range watchers {
		go func() {
			w, err := n.Join(context.Background(), x.watcher(fmt.Sprint("session ", i)))
			if err != nil {
				t.Error(err)
			}
			joined <- w
		}()
	}
	eventually(t, "it is being read", func() bool { return x.count() == 1 })
	close(x.held)
	for range watchers {
		t.Cleanup((<-joined).End)
	}
	if got := x.count(); got != 1 {
		t.Errorf("read %d times at first", got)
	}
	n.advance(2 * time.Second)
	eventually(t, "it is read again", func() bool { return x.count() > 1 })
	n.watch(t, x.watcher("late")).want(first)
	if got := x.count(); got != 2 {
		t.Errorf("read %d times, want 2", got)
	}
}

// A topic that nobody watches any more is not read.
func TestTopic_NotReadWithoutWatchers(t *testing.T) {
	n, x, other := newNode(t, 10), newThing("new"), newThing("new")
	n.join(t, x.watcher("a")).End()
	who := other.watcher("a")
	who.Topic = "other"
	n.watch(t, who).want(first)
	n.advance(2 * time.Second)
	eventually(t, "what is watched is read", func() bool { return other.count() == 2 })
	if got := x.count(); got != 1 {
		t.Errorf("read %d times", got)
	}
}

// A hint makes the hubs of all nodes read the topic at once, and costs nothing where
// nobody watches it.
func TestHint_ReachesAllNodes(t *testing.T) {
	one := newNode(t, 10)
	two, x := newNode(t, 10, one), newThing("new")
	s := two.watch(t, x.watcher("a"))
	s.want(first)
	x.set("completed", true)
	eventually(t, "a hint is heard", func() bool { // what is published before a node listens is lost
		one.Hint(t.Context(), "thing")
		return x.count() > 1
	})
	s.want(second, done, over)
	one.Hint(t.Context(), "nobody watches this")
}

// After a hint that comes while the topic is being read, it is read once more: the first
// reading may be older than the hint.
func TestHint_WhileReading(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	s := n.watch(t, x.watcher("a"))
	s.want(first)
	held := make(chan struct{})
	x.mu.Lock()
	x.held = held
	x.mu.Unlock()
	n.advance(2 * time.Second)
	eventually(t, "it is being read", func() bool { return x.count() == 2 })
	n.Hinted("thing")
	close(held)
	eventually(t, "it is read once more", func() bool { return x.count() == 3 })
}

// A silent stream sends comments, and ends after its lifetime with a retry time.
func TestStream_Lifetime(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	s := n.watch(t, x.watcher("a"))
	s.want(first)
	n.advance(15 * time.Second)
	s.want(":")
	n.advance(15 * time.Second)
	s.want(":")
	n.advance(lifetime)
	s.want("retry: 1000", over)
}

// Each session has four places, the node has Max, and a watcher who leaves frees theirs.
func TestPlaces_PerSessionAndNode(t *testing.T) {
	n, x := newNode(t, 5), newThing("new")
	var streams []*stream
	for range 4 {
		streams = append(streams, n.watch(t, x.watcher("a")))
	}
	if _, err := n.Join(t.Context(), x.watcher("a")); !fault.Is(err, fault.RequestRate) || fault.From(err).RetryAfter == 0 {
		t.Errorf("a fifth of a session: %v", err)
	}
	b := n.watch(t, x.watcher("b"))
	if _, err := n.Join(t.Context(), x.watcher("c")); !fault.Is(err, fault.ServerUnavailable) || fault.From(err).RetryAfter == 0 {
		t.Errorf("a sixth of the node: %v", err)
	}
	streams[0].Close()
	b.Close()
	for _, session := range []string{"a", "c"} {
		eventually(t, "there is a place for "+session, func() bool {
			w, err := n.Join(t.Context(), x.watcher(session))
			if err == nil {
				t.Cleanup(w.End)
			}
			return err == nil
		})
	}
}

// A person has twenty places on a node over all of their sessions, and a watcher who
// leaves frees theirs.
func TestPlaces_PerPerson(t *testing.T) {
	n, x := newNode(t, 100), newThing("new")
	as := func(user, session string) events.Watcher {
		who := x.watcher(session)
		who.Person.User = user
		return who
	}
	var last *events.Watch
	for i := range 20 {
		last = n.join(t, as("alice", fmt.Sprint("session ", i/3)))
	}
	if _, err := n.Join(t.Context(), as("alice", "another")); !fault.Is(err, fault.RequestRate) || fault.From(err).RetryAfter == 0 {
		t.Errorf("a twenty-first of a person: %v", err)
	}
	n.join(t, as("bob", "another"))
	last.End()
	n.join(t, as("alice", "another"))
}

// A watcher who can no longer see a topic receives nothing more, not even its end.
func TestWatcher_LosesAccess(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	as := func(user string) events.Watcher {
		who := x.watcher(user)
		who.Person.User = user
		return who
	}
	stays, goes := n.watch(t, as("owner")), n.watch(t, as("signer"))
	stays.want(first)
	goes.want(first)
	x.mu.Lock()
	x.state.Facts = append(x.state.Facts, events.Fact{Name: "change", Data: []byte("{}")})
	x.state.Sees = func(p events.Person) bool { return p.User == "owner" }
	x.mu.Unlock()
	n.advance(2 * time.Second)
	goes.want(over)
	stays.want("id: 2|event: change|data: {}")
	n.watch(t, as("signer")).want(over)
	x.mu.Lock()
	x.state.Over = true
	x.mu.Unlock()
	n.advance(2 * time.Second)
	stays.want("id: 3|event: done|data: {}", over)
}

// A stream ends when its session does, but not while Redis cannot tell.
func TestStream_EndsWithSession(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	var signedOut, away atomic.Bool
	var asked atomic.Int32
	who := x.watcher("a")
	who.Live = func(context.Context) (bool, error) {
		defer asked.Add(1)
		if away.Load() {
			return false, errors.New("Redis is away")
		}
		return !signedOut.Load(), nil
	}
	s, other := n.watch(t, who), n.watch(t, x.watcher("b"))
	s.want(first)
	other.want(first)
	away.Store(true)
	n.advance(2 * time.Second)
	eventually(t, "the session is looked for", func() bool { return asked.Load() > 0 })
	signedOut.Store(true)
	away.Store(false)
	n.advance(2 * time.Second)
	s.want(over)
	x.set("completed", true)
	n.advance(2 * time.Second)
	other.want(second)
}

// A topic that no longer exists ends its streams; one that cannot be read does not.
func TestTopic_ErasedEndsStreams(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	s := n.watch(t, x.watcher("a"))
	s.want(first)
	x.fail(fault.New(fault.PlatformUnavailable))
	n.advance(2 * time.Second)
	eventually(t, "it is read", func() bool { return x.count() == 2 })
	x.fail(fault.New(fault.RequestNotFound))
	n.advance(2 * time.Second)
	s.want(over)
}

// Joining a topic that cannot be read fails and keeps no place.
func TestJoin_UnreadableTopic(t *testing.T) {
	n, x := newNode(t, 1), newThing("new")
	x.fail(fault.New(fault.RequestNotFound))
	for range 2 {
		if _, err := n.Join(t.Context(), x.watcher("a")); !fault.Is(err, fault.RequestNotFound) {
			t.Fatal(err)
		}
	}
	x.fail(nil)
	n.join(t, x.watcher("a"))
}

// A client that goes away while the topic is read keeps no place.
func TestJoin_ClientLeaves(t *testing.T) {
	n, x := newNode(t, 1), newThing("new")
	x.held = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := n.Join(ctx, x.watcher("a"))
		failed <- err
	}()
	eventually(t, "it is being read", func() bool { return x.count() == 1 })
	cancel()
	if err := <-failed; !fault.Is(err, fault.RequestCancelled) {
		t.Error(err)
	}
	close(x.held)
	n.join(t, x.watcher("b"))
}

// A client that sends anything on its stream is disconnected.
func TestStream_SendingClientDisconnected(t *testing.T) {
	n, x := newNode(t, 10), newThing("new")
	s := n.watch(t, x.watcher("a"))
	s.want(first)
	s.Write([]byte("GET / HTTP/1.1\r\n"))
	s.want(over)
}
