package wire

import (
	"net/http"
	"sync"
	"time"
)

// journalLength is how many calls are remembered; the oldest make room.
const journalLength = 10000

// Entry is one call that the platform was sent.
type Entry struct {
	// At is when it arrived, on the platform's clock.
	At time.Time `json:"at"`
	// Operation is the platform's name for the call; "" where it has none.
	Operation string `json:"operation"`
	Method    string `json:"method"`
	// Path and Query are as they were sent, escapes included.
	Path  string `json:"path"`
	Query string `json:"query"`
	// Bytes is the length of the body.
	Bytes int `json:"bytes"`
	// User is userID@domain in its one spelling, where the path names a person.
	User string `json:"user"`
	// Credential is ok, wrong or none.
	Credential string `json:"credential"`
	// Status is the answer's; 0 while there is none yet, and for good when the
	// caller went away before it.
	Status int `json:"status"`
}

// Journal is what the platform was sent. It is safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	entries []*Entry
}

// List is every remembered call, the oldest first.
func (j *Journal) List() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Entry, 0, len(j.entries))
	for _, e := range j.entries {
		list = append(list, *e)
	}
	return list
}

// Clear forgets every call.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = nil
}

func (j *Journal) begin(e Entry) *Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == journalLength {
		j.entries = j.entries[1:]
	}
	j.entries = append(j.entries, &e)
	return &e
}

// change fills in what is known of a call only later.
func (j *Journal) change(e *Entry, act func(*Entry)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	act(e)
}

// statusRecorder remembers the status of the answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
