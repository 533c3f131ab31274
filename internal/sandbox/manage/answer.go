package manage

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// hasBody tells a body that was given, "" included, from none; null is none.
func (in faultInput) hasBody() bool { return in.Body != nil && in.Body.Kind() != 'n' }

// answer is what takes the place of the operation's own, nil where nothing is
// asked for. A status alone answers an error in the platform's shape from 400 on
// and an empty body below.
func (in faultInput) answer() *answer {
	switch {
	case in.Error != nil:
		refusal := errorOf(in.Operation, *in.Error)
		if in.Status != nil {
			refusal.Status = *in.Status
		}
		return &answer{error: refusal}
	case in.hasBody():
		a := &answer{status: http.StatusOK, body: in.Body, media: "application/json"}
		if in.Body.Kind() == '"' {
			a.media = "text/plain; charset=utf-8"
			a.body, _ = jsontext.AppendUnquote(nil, in.Body) // The decoder has seen that it is a string.
		}
		if in.Status != nil {
			a.status = *in.Status
		}
		return a
	case in.Status != nil && *in.Status >= http.StatusBadRequest:
		return &answer{error: wire.Refuse(*in.Status, http.StatusText(*in.Status))}
	case in.Status != nil:
		return &answer{status: *in.Status}
	default:
		return nil
	}
}

// Faults lets the faults that were asked for happen to calls of operation, and
// next answer the others.
func (s *Server) Faults(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one, ok := s.faults.next(operation)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		w = &headerSetter{ResponseWriter: w, headers: one.headers}
		switch {
		case !s.wait(r, one.delay):
			// A caller that went away reads no answer; one that still waits does
			// because the sandbox closes.
			if r.Context().Err() == nil {
				wire.WriteError(w, wire.Refuse(http.StatusServiceUnavailable, "The platform is closing"))
			}
		case one.answer == nil && one.release != "":
			next.ServeHTTP(w, wire.WithRelease(r, one.release, s.clock.Now()))
		case one.answer == nil:
			next.ServeHTTP(w, r)
		case one.answer.error != nil:
			wire.WriteError(w, one.answer.error.In(one.release, s.clock.Now()))
		default:
			one.answer.write(w)
		}
	})
}

// wait lets the real time pass, not the platform's. It is false when nobody
// waits for the answer any more: the caller went away or the server closes.
func (s *Server) wait(r *http.Request, delay time.Duration) bool {
	if delay == 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	case <-s.closed:
		return false
	}
}

func (a *answer) write(w http.ResponseWriter) {
	if a.media != "" {
		w.Header().Set("Content-Type", a.media)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // A header that lies about the length is part of the fault.
}

// headerSetter sets its headers over whatever the answer says of them.
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
