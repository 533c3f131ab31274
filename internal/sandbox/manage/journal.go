package manage

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
	Path      string `json:"path"`
	// User is userID@domain where the path names one.
	User string `json:"user"`
	// Status is what was answered; 0 while there is no answer yet, and for good
	// when the caller went away before it.
	Status int `json:"status"`
}

type journal struct {
	mu      sync.Mutex
	entries []*Entry
}

func (j *journal) begin(e Entry) *Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == journalLength {
		j.entries = j.entries[1:]
	}
	j.entries = append(j.entries, &e)
	return &e
}

func (j *journal) answered(e *Entry, status int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Status = status
}

func (j *journal) list() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Entry, 0, len(j.entries))
	for _, e := range j.entries {
		list = append(list, *e)
	}
	return list
}

func (j *journal) clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = nil
}

// Record writes every call of next into the journal, as that operation.
func (s *Server) Record(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := s.journal.begin(Entry{
			At:        s.clock.Now().UTC(),
			Operation: operation,
			Method:    r.Method,
			Path:      r.URL.Path,
			User:      r.PathValue("user"),
		})
		watched := &statusWatcher{ResponseWriter: w}
		next.ServeHTTP(watched, r)
		s.journal.answered(entry, watched.status)
	})
}

// statusWatcher remembers the status that was answered.
type statusWatcher struct {
	http.ResponseWriter
	status int
}

func (w *statusWatcher) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (s *Server) readJournal(*http.Request) (any, error) {
	return struct {
		Entries []Entry `json:"entries"`
	}{s.journal.list()}, nil
}

func (s *Server) emptyJournal(*http.Request) (any, error) {
	s.journal.clear()
	return nil, nil
}
