package wire

import (
	"net/http"
	"sync"
	"time"
)

// journalLength limits the remembered calls; the oldest are dropped.
const journalLength = 10000

// Entry is one call of the platform.
type Entry struct {
	// Number counts the calls from the last Clear on, from 1.
	Number int `json:"-"`
	// At is the time of its arrival, on the platform's clock.
	At time.Time `json:"at"`
	// Operation is the platform's name of the operation, or "".
	Operation string `json:"operation"`
	Method    string `json:"method"`
	// Path and Query are as sent, with their escapes.
	Path  string `json:"path"`
	Query string `json:"query"`
	// Bytes is the length of the body.
	Bytes int `json:"bytes"`
	// User is the canonical userID@domain, if the path of an operation names a person.
	User string `json:"user"`
	// Credential is ok, wrong or none.
	Credential string `json:"credential"`
	// RequestID is the X-Request-Id of the call: the request of Countersign that it serves; "" for
	// work in the background.
	RequestID string `json:"requestID,omitzero"`
	// Status is the answer's; 0 before the answer, and for good if the caller went away
	// before it.
	Status int `json:"status"`
	// Fault says what fault the call had, such as "delay 1s, status 503"; "" for none.
	Fault string `json:"fault"`
	// Request and Answer are what was sent and answered, of the newest calls alone.
	Request Content `json:"-"`
	Answer  Content `json:"-"`
}

// Journal lists the calls of the platform. It is safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	entries []*Entry
	number  int
}

// List returns every remembered call, the oldest first.
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
	j.entries, j.number = nil, 0
}

func (j *Journal) begin(e Entry) *Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == journalLength {
		j.entries = j.entries[1:]
	}
	j.number++
	e.Number = j.number
	j.entries = append(j.entries, &e)
	if n := len(j.entries) - Recent; n > 0 {
		j.entries[n-1].forget()
	}
	return &e
}

// forget drops what was sent and answered.
func (e *Entry) forget() { e.Request, e.Answer = Content{}, Content{} }

// change fills in members that are known only later.
func (j *Journal) change(e *Entry, act func(*Entry)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	act(e)
	if e.Number <= j.number-Recent {
		e.forget()
	}
}

// recorder remembers the answer.
type recorder struct {
	http.ResponseWriter
	status int
	answer Content
}

func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.answer.media = w.Header().Get("Content-Type")
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(part []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.answer.add(part)
	return w.ResponseWriter.Write(part)
}
