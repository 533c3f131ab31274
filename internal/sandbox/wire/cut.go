package wire

import "net/http"

// cutWriter closes the connection once the client has been sent as many bytes of
// the answer's body as it may have; with 0 there is no answer at all.
type cutWriter struct {
	http.ResponseWriter
	left  int
	begun bool
}

// WriteHeader sends the head of an answer of which something arrives.
func (w *cutWriter) WriteHeader(status int) {
	if w.left == 0 {
		w.end()
	}
	w.begun = true
	w.Header().Del("Content-Length") // an answer that is cut is never whole
	w.ResponseWriter.WriteHeader(status)
}

// Write sends what may still arrive.
func (w *cutWriter) Write(content []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.left > len(content) {
		w.left -= len(content)
		return w.ResponseWriter.Write(content)
	}
	_, _ = w.ResponseWriter.Write(content[:w.left]) // The connection ends either way.
	w.end()
	return 0, nil
}

// end sends what is buffered and closes the connection.
func (w *cutWriter) end() {
	if w.begun {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // The connection ends either way.
	}
	panic(http.ErrAbortHandler)
}

// Unwrap lets http.ResponseController find the connection.
func (w *headerSetter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Unwrap lets http.ResponseController find the connection.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
