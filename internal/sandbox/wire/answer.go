package wire

import (
	"bytes"
	"cmp"
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

// Answer is an answer in JSON other than a plain 200.
type Answer struct {
	Status int    // 0 stands for 200
	Media  string // what the answer is called; "" stands for application/json
	ETag   string // may be ""
	Value  any
}

// ServeHTTP answers with the value.
func (a Answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if a.ETag != "" {
		w.Header().Set("ETag", a.ETag)
	}
	writeJSONAs(w, cmp.Or(a.Media, jsonMedia), cmp.Or(a.Status, http.StatusOK), a.Value)
}

// Raw is an answer other than JSON.
type Raw struct {
	Media string // its Content-Type
	Body  []byte
}

// ServeHTTP answers with the body.
func (a Raw) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.Media)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(a.Body)
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

const jsonMedia = "application/json"

func writeJSON(w http.ResponseWriter, status int, value any) {
	writeJSONAs(w, jsonMedia, status, value)
}

func writeJSONAs(w http.ResponseWriter, media string, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"status":500,"error":"Internal Server Error","message":"Internal error"}`)
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails only if the client went away
}
