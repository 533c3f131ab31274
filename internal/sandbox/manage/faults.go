package manage

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/http/httpguts"

	"countersign/internal/sandbox/wire"
)

// faultInput asks for the next calls of an operation to fail.
type faultInput struct {
	Operation string            `json:"operation"`
	Times     *int              `json:"times"`
	Delay     *string           `json:"delay"`
	Status    *int              `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      jsontext.Value    `json:"body"`
	Error     *string           `json:"error"`
	Release   *wire.Release     `json:"release"`
}

// fault is one that is waiting for its calls.
type fault struct {
	operation string
	left      int // calls; endless if it is below zero
	delay     time.Duration
	headers   map[string]string
	release   wire.Release // whose errors the answer has; "": the operation's own
	answer    *answer      // nil: the operation answers itself, after the delay
}

// answer takes the place of the operation's own.
type answer struct {
	status int
	body   []byte      // as it is
	media  string      // its Content-Type; "" for no body
	error  *wire.Error // instead of a body
}

type faults struct {
	mu      sync.Mutex
	waiting []fault
}

func (f *faults) add(one fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, one)
}

// next is the oldest fault of that operation, one of its times used up.
func (f *faults) next(operation string) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.waiting, func(one fault) bool { return one.operation == operation })
	if i < 0 {
		return fault{}, false
	}
	found := f.waiting[i]
	switch {
	case found.left == 1:
		f.waiting = slices.Delete(f.waiting, i, i+1)
	case found.left > 1:
		f.waiting[i].left--
	}
	return found, true
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = nil
}

func (s *Server) addFault(r *http.Request) (any, error) {
	var in faultInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	one, err := s.fault(in)
	if err != nil {
		return nil, err
	}
	s.faults.add(one)
	return nil, nil
}

// fault checks what was asked for and prepares it.
func (s *Server) fault(in faultInput) (fault, error) {
	var broken []wire.Violation
	wrong := func(field, message string) { broken = append(broken, wire.Violation{Field: field, Message: message}) }

	if !slices.Contains(s.operations, in.Operation) {
		wrong("operation", "must be one of "+strings.Join(s.operations, ", "))
	}
	one := fault{operation: in.Operation, left: 1, headers: in.Headers, release: releaseOf(in.Operation)}
	if in.Release != nil {
		one.release = *in.Release
	}
	if in.Times != nil {
		one.left = *in.Times
		if *in.Times == 0 {
			one.left = -1
		} else if *in.Times < 0 {
			wrong("times", "must be a number of calls, or 0 for all until reset")
		}
	}
	if in.Delay != nil {
		var err error
		if one.delay, err = time.ParseDuration(*in.Delay); err != nil || one.delay <= 0 {
			wrong("delay", `must be a duration above zero such as "2s"`)
		}
	}
	in.checkAnswer(wrong)
	if len(broken) > 0 {
		return fault{}, wire.Invalid(broken...)
	}
	one.answer = in.answer()
	if one.answer == nil && one.delay == 0 && len(one.headers) == 0 && in.Release == nil {
		return fault{}, wire.Invalid(wire.Violation{Message: "asks for no fault: give delay, status, headers, body, error or release"})
	}
	return one, nil
}

func (in faultInput) checkAnswer(wrong func(field, message string)) {
	for name, value := range in.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			wrong("headers", "must be header names and their values")
		}
	}
	if in.Status != nil && (*in.Status < 200 || *in.Status > 599) {
		wrong("status", "must be between 200 and 599")
	}
	if in.Error != nil && in.hasBody() {
		wrong("error", "and body exclude each other")
	}
	if in.Release == nil {
		return
	}
	if in.Error == nil && (in.Status != nil || in.hasBody()) {
		wrong("release", "goes with error, or with the operation's own errors")
	}
	if !slices.Contains(wire.Releases, *in.Release) {
		wrong("release", "must be one of "+joined(wire.Releases))
	}
}
