package wire

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault changes the next calls of an operation: instead of, or before, the operation's
// own work.
type Fault struct {
	Operation string
	Times     int               // how many calls; 0: all until the faults are cleared
	Delay     time.Duration     // of the real time
	Headers   map[string]string // set over those of the answer
	Release   string            // whose errors the answer has; "": the operation's own
	Reply     *Reply            // nil: the operation answers itself, after the delay
	Cut       *int              // closes the connection after as many bytes of the answer's body; 0: before the answer
}

// Reply replaces an operation's answer: an error, or a body.
type Reply struct {
	Error  *Error
	Status int
	Body   []byte // sent unchanged
	Media  string // its Content-Type; "" without a body
}

// Faults are the faults waiting for their calls. It is safe for concurrent use.
type Faults struct {
	mu      sync.Mutex
	waiting []Fault
	chaos   chaotic
}

// Add queues a fault behind the waiting ones of its operation.
func (f *Faults) Add(one Fault) {
	if one.Times == 0 {
		one.Times = -1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, one)
}

// Clear forgets every fault.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = nil
}

// next uses up one time of the oldest fault of that operation and returns it, else the one
// that chaos has for this call, or a fault that does nothing.
func (f *Faults) next(operation string) Fault {
	chosen, chaos := f.chaos.next(operation)
	if fault, asked := f.take(operation); asked || !chaos {
		return fault
	}
	return chosen
}

func (f *Faults) take(operation string) (fault Fault, asked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.waiting, func(one Fault) bool { return one.Operation == operation })
	if i < 0 {
		return Fault{}, false
	}
	found := f.waiting[i]
	switch {
	case found.Times == 1:
		f.waiting = slices.Delete(f.waiting, i, i+1)
	case found.Times > 1:
		f.waiting[i].Times--
	}
	return found, true
}

func (a *Reply) write(w http.ResponseWriter) {
	if a.Media != "" {
		w.Header().Set("Content-Type", a.Media)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a wrong Content-Length is part of the fault
}

// List returns the faults that wait, the oldest first; Times is below zero for those that
// stay.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.waiting)
}

// String says in words what the fault does; "" for one that does nothing.
func (f Fault) String() string {
	var parts []string
	if f.Delay > 0 {
		parts = append(parts, "delay "+f.Delay.String())
	}
	switch {
	case f.Reply != nil && f.Reply.Error != nil:
		parts = append(parts, "status "+strconv.Itoa(f.Reply.Error.Status))
	case f.Reply != nil:
		parts = append(parts, "status "+strconv.Itoa(f.Reply.Status))
	}
	if len(f.Headers) > 0 {
		parts = append(parts, "headers")
	}
	if f.Release != "" {
		parts = append(parts, "release "+f.Release)
	}
	if f.Cut != nil {
		parts = append(parts, "cut "+strconv.Itoa(*f.Cut))
	}
	return strings.Join(parts, ", ")
}

// wait returns false if nobody waits for the answer any more: the caller went away, or
// the platform closes.
func wait(ctx context.Context, closed <-chan struct{}, delay time.Duration) bool {
	if delay == 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-closed:
		return false
	}
}

// headerSetter sets its headers over the answer's.
type headerSetter struct {
	http.ResponseWriter
	headers map[string]string
}

func (w *headerSetter) WriteHeader(status int) {
	for name, value := range w.headers {
		w.Header().Set(name, value)
	}
	w.ResponseWriter.WriteHeader(status)
}
