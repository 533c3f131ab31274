package wire

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
)

// CorrelationHeader names an answer in the platform's log. Every answer of the sandbox
// has it.
const CorrelationHeader = "Log-Correlation-Id"

// WriteError answers with e in the plain form.
func WriteError(w http.ResponseWriter, e *Error) {
	writeJSON(w, e.Status, PlainErrors{}.Body(e, ErrorContext{}))
}

// Accepted returns a handler that answers 202 with value in JSON.
func Accepted(value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusAccepted, value) })
}

// Labelled returns a handler that answers 200 with value in JSON, which it calls media.
func Labelled(media string, value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(mediaWriter{w, media}, http.StatusOK, value)
	})
}

// mediaWriter is an answer with another Content-Type than its writer's.
type mediaWriter struct {
	http.ResponseWriter
	media string
}

// WriteHeader implements http.ResponseWriter.
func (l mediaWriter) WriteHeader(status int) {
	l.Header().Set("Content-Type", l.media)
	l.ResponseWriter.WriteHeader(status)
}

// Tagged returns a handler that answers 200 with value in JSON, and tag as its ETag.
func Tagged(tag string, value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", tag)
		writeJSON(w, http.StatusOK, value)
	})
}

// respond carries call out and answers with its value. Its error is left for the caller
// to answer.
func respond(w http.ResponseWriter, r *http.Request, call Call) error {
	value, err := call(r)
	handler, isHandler := value.(http.Handler)
	switch {
	case err != nil:
		return err
	case value == nil:
		w.WriteHeader(http.StatusNoContent)
	case isHandler:
		handler.ServeHTTP(w, r)
	default:
		writeJSON(w, http.StatusOK, value)
	}
	return nil
}

// refusal is the form of an error's answer.
type refusal struct {
	errors  Errors
	context ErrorContext
}

// write answers with err and logs it, with the cause that the answer conceals.
func (f refusal) write(w http.ResponseWriter, r *http.Request, err error, log *slog.Logger) {
	e := AsError(err)
	f.context.CorrelationID = w.Header().Get(CorrelationHeader)
	level := slog.LevelInfo
	if e.Status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	log.Log(r.Context(), level, "refused",
		"method", r.Method, "path", r.URL.Path, "status", e.Status, "message", e.Message,
		"violations", e.Violations, "cause", e.cause, "correlation", f.context.CorrelationID)
	writeJSON(w, e.Status, f.errors.Body(e, f.context))
}

// buffered returns r with that body.
func buffered(r *http.Request, body []byte) *http.Request {
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"status":500,"error":"Internal Server Error","message":"Internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails only if the client went away
}
