// Package events is the hub of a node: it tells whoever watches a topic what changes
// about it.
//
// A topic is an id. What is known of it are facts, and a function of the caller's reads
// them. While somebody watches, the hub reads a topic every two seconds, once for all of
// its watchers, and at once after a hint, which reaches the hubs of all nodes through
// Redis. It tells a watcher all facts at first and then what has changed, as server-sent
// events.
//
// A watcher is told what they may see, and nothing more once they may not: their stream
// ends, as it does when their session ends.
//
// Everything is bounded: the watchers of a node, of a person and of a session, the time
// that one watches, and what a watcher costs. It has no timer, subscription or buffer, and one
// small goroutine that notices when the client goes away.
//
// The package does not know what the facts mean, who may watch a topic, or HTTP. It also
// numbers what topics contain (Revisions), which tells that something has changed and
// not what.
package events

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
)

// Fact is what is known of a topic in one respect: the name of the event that tells it,
// and its data, one line of JSON.
type Fact struct {
	Name string
	Data []byte
}

// State is a topic as it is at present.
type State struct {
	// Facts are told in this order.
	Facts []Fact
	// Over says that nothing will change any more.
	Over bool
	// Sees reports whether a person may be told of the state; nil where everybody may who
	// joined. The streams of others end without a word.
	Sees func(Person) bool
}

// Person is who watches.
type Person struct {
	// User is the canonical userID@domain.
	User string
	// Email is the person's address in lower case, "" where none counts.
	Email string
	// Operator says that the person acts for the whole account.
	Operator bool
}

// Fetch reads the present state of a topic. The error is fault.RequestNotFound where there
// is no such topic any more.
type Fetch func(ctx context.Context) (State, error)

// Options are what a Hub is made of. All of it is required.
type Options struct {
	Redis redis.UniversalClient
	// Channel is the channel of Redis that hints go through.
	Channel string
	// Lifetime is how long one watches at a time.
	Lifetime time.Duration
	// Max is how many watchers the node has at most.
	Max    int
	Logger *slog.Logger
	Now    func() time.Time
}

// Hub is the hub of a node. It is safe for concurrent use.
type Hub struct {
	Options
	due       chan *topic // to be read; each topic once
	checkedAt time.Time   // when Run last looked for sessions that are over

	mu       sync.Mutex
	closed   bool
	count    int
	topics   map[string]*topic
	sessions map[string]*viewer
	people   map[string]int // watchers, by user
}

// New makes a Hub. Nothing is read before Run.
func New(o Options) *Hub {
	return &Hub{
		Options: o, due: make(chan *topic, o.Max), checkedAt: o.Now(),
		topics: map[string]*topic{}, sessions: map[string]*viewer{}, people: map[string]int{},
	}
}

// Watchers is how many watch on this node now.
func (h *Hub) Watchers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// Hint has the hubs of all nodes read the topic, where somebody watches it.
func (h *Hub) Hint(ctx context.Context, topic string) error {
	if err := h.Redis.Publish(ctx, h.Channel, topic).Err(); err != nil {
		return redisdb.Unavailable(ctx, "events: hint", err)
	}
	return nil
}

// hinted has this node read the topic.
func (h *Hub) hinted(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[id]; t != nil {
		t.again = t.reading
		h.enqueue(t)
	}
}
