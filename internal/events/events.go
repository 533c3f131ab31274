// Package events sends live updates to event streams: one hub per node, hints between nodes
// through Redis.
//
// A topic is an id. Facts describe it, and a function of the caller's reads them. While
// somebody watches, the hub reads a topic every two seconds, once for all of its
// watchers, and at once after a hint, which reaches the hubs of all nodes through Redis.
// It sends a watcher all facts first and then those that changed, as server-sent events.
//
// A watcher receives what they may see. Once they may not, their stream ends, as it does
// when their session ends.
//
// Everything is bounded: the watchers of a node, of a person and of a session, the time
// of one watch, and the cost of a watcher, which has no timer, subscription or buffer,
// only one small goroutine that notices when the client goes away.
//
// The package does not know what the facts mean, who can watch a topic, or HTTP. It also
// numbers the contents of topics (Revisions), which shows that a content changed without
// showing the content.
package events

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/internal/redisdb"
)

// Fact describes one respect of a topic: the name of its event, and the data, one line of
// JSON.
type Fact struct {
	Name string
	Data []byte
}

// State is the present state of a topic.
type State struct {
	// Facts are sent in this order.
	Facts []Fact
	// Over says that the topic will not change any more.
	Over bool
	// Sees reports whether a person may see the state; nil lets everybody see it who
	// joined. The streams of others end without a message.
	Sees func(Person) bool
}

// Person is a watcher's identity.
type Person struct {
	// User is the canonical userID@domain.
	User string
	// Email is the person's address in lower case, or "" if no address counts.
	Email string
	// Operator says that the person acts for the whole account.
	Operator bool
}

// Fetch reads the present state of a topic. The error is fault.RequestNotFound if the
// topic no longer exists.
type Fetch func(ctx context.Context) (State, error)

// Options configure a Hub. All of them are required.
type Options struct {
	Redis *redisdb.DB
	// Channel is the channel of Redis that hints go through.
	Channel string
	// Lifetime limits the time of one watch.
	Lifetime time.Duration
	// Max limits the watchers of the node.
	Max    int
	Logger *slog.Logger
	Now    func() time.Time
}

// Hub is the hub of a node. It is safe for concurrent use.
type Hub struct {
	Options
	due       chan *topic // to be read; each topic once
	checkedAt time.Time   // when Run last looked for ended sessions

	mu       sync.Mutex
	closed   bool
	count    int
	refused  map[string]error // why Redis refuses that hints are sent, or heard
	topics   map[string]*topic
	sessions map[string]*viewer
	people   map[string]int // watchers, by user
}

// New makes a Hub. Nothing is read before Run.
func New(o Options) *Hub {
	return &Hub{
		Options: o, due: make(chan *topic, o.Max), checkedAt: o.Now(),
		topics: map[string]*topic{}, sessions: map[string]*viewer{}, people: map[string]int{}, refused: map[string]error{},
	}
}

// Watchers returns the number of watchers on this node.
func (h *Hub) Watchers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// hinted makes this node read the topic now.
func (h *Hub) hinted(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[id]; t != nil {
		t.again = t.reading
		h.enqueue(t)
	}
}
