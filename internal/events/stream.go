package events

import (
	"fmt"
	"net"
	"time"
)

const (
	// commentEvery is the interval at which a silent stream sends a comment.
	commentEvery = 15 * time.Second
	// writeWithin limits how long a client may take nothing. All that a stream sends in
	// its life fits into the buffers of its connection.
	writeWithin = time.Second
)

// retry tells a client to come back in a second.
const retry = "retry: 1000\n\n"

// Watch is a place among the watchers of a topic. The hub's lock guards it.
type Watch struct {
	hub     *Hub
	topic   *topic
	session string
	person  Person
	id      uint64 // of the last event sent

	conn      net.Conn // nil before Stream and after the end
	ends      time.Time
	commentAt time.Time
}

// Over reports whether the topic is over, so that nothing can change.
func (w *Watch) Over() bool {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.topic.state.Over
}

// End frees the place and ends the stream.
func (w *Watch) End() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.close()
}

// Stream sends head, then the present facts, then the changes. It returns at once: the
// hub now owns the connection and closes it. The stream also ends if the client sends
// anything.
func (w *Watch) Stream(conn net.Conn, head []byte) {
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	w.conn, w.ends, w.commentAt = conn, now.Add(h.Lifetime), now.Add(commentEvery)
	go w.listen(conn)
	if w.write(head); w.conn != nil {
		w.send(w.topic.state, w.topic.state.Facts)
	}
	if h.closed {
		w.close()
	}
}

// listen waits until the client goes away.
func (w *Watch) listen(conn net.Conn) {
	var b [1]byte
	_, _ = conn.Read(b[:])
	w.End()
}

// send sends the facts, and the end if nothing more will come. A watcher who cannot see
// the state receives neither. h.mu is held.
func (w *Watch) send(state State, facts []Fact) {
	if state.Sees != nil && !state.Sees(w.person) {
		w.close()
		return
	}
	var events []byte
	for _, fact := range facts {
		events = w.append(events, fact)
	}
	if state.Over {
		events = w.append(events, Fact{Name: "done", Data: []byte("{}")})
	}
	if len(events) > 0 {
		w.write(events)
	}
	if state.Over {
		w.close()
	}
}

func (w *Watch) append(events []byte, fact Fact) []byte {
	w.id++
	return fmt.Appendf(events, "id: %d\nevent: %s\ndata: %s\n\n", w.id, fact.Name, fact.Data)
}

// beat sends what is due at now. h.mu is held.
func (w *Watch) beat(now time.Time) {
	switch {
	case w.conn == nil:
	case !now.Before(w.ends):
		w.write([]byte(retry))
		w.close()
	case !now.Before(w.commentAt):
		w.commentAt = now.Add(commentEvery)
		w.write([]byte(":\n\n"))
	}
}

// write sends b; a client that takes none of it counts as gone. h.mu is held.
func (w *Watch) write(b []byte) {
	conn := w.conn
	late := time.AfterFunc(writeWithin, func() { _ = conn.Close() })
	defer late.Stop()
	if _, err := conn.Write(b); err != nil {
		w.close()
	}
}

// close ends the stream, if there is one, and frees the place. h.mu is held.
func (w *Watch) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
	w.hub.remove(w)
}
