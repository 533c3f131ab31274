package wire

import "net/http"

// cutWriter closes the connection after so many bytes of the answer's body; with 0 there
// is no answer at all.
type cutWriter struct {
	http.ResponseWriter
	left  int
	begun bool
}

// WriteHeader sends the head, if any part of the answer is to arrive.
func (w *cutWriter) WriteHeader(status int) {
	if w.left == 0 {
		w.end()
	}
	w.begun = true
	w.Header().Del("Content-Length") // a cut answer never has its full length
	w.ResponseWriter.WriteHeader(status)
}

// Write sends the part that may still arrive.
func (w *cutWriter) Write(content []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.left > len(content) {
		w.left -= len(content)
		return w.ResponseWriter.Write(content)
	}
	_, _ = w.ResponseWriter.Write(content[:w.left]) // the connection ends either way
	w.end()
	return 0, nil
}

// end sends the buffered bytes and closes the connection.
func (w *cutWriter) end() {
	if w.begun {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // the connection ends either way
	}
	panic(http.ErrAbortHandler)
}

// Unwrap lets http.ResponseController find the connection.
func (w *headerSetter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Unwrap lets http.ResponseController find the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
