// Package wire is how the sandbox platform reads requests and writes answers:
// the shape of its JSON, of its errors and of its routes.
//
// It knows no endpoint and no person. Its shapes are written down a second time
// on purpose, apart from those of Countersign's client: a wrong member name
// must not cancel itself out.
package wire

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-json-experiment/json"
)

// CorrelationHeader names an answer of the platform in its own log. The sandbox
// sets it on every answer.
const CorrelationHeader = "Log-Correlation-Id"

// Call answers one request. The body it returns becomes a 200 in JSON; nil
// becomes a 204; an *Error becomes the platform's error, anything else a 500.
// The request's body is complete in memory and within the platform's limit.
type Call func(r *http.Request) (any, error)

// Route is one operation of the platform: its name as in the documentation, and
// where it is found, in the patterns of http.ServeMux.
type Route struct {
	Operation string
	Method    string
	Path      string
	Call      Call
}

// Handler serves call and logs what it refuses, with the cause that the answer
// does not tell.
func Handler(call Call, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := call(r)
		if err != nil {
			refusal := AsError(err).asAskedFor(r.Context())
			logRefusal(log, w, r, refusal)
			WriteError(w, refusal)
			return
		}
		if body == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		WriteJSON(w, http.StatusOK, body)
	})
}

// WriteJSON answers status with body in JSON.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"status":500,"error":"Internal Server Error","message":"Internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // A client that went away is no concern of the platform's.
}

// AsError is err as the platform answers it: an *Error as it is, anything else a
// 500 that tells nothing.
func AsError(err error) *Error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	return Refuse(http.StatusInternalServerError, "Internal error").Because(err)
}

func logRefusal(log *slog.Logger, w http.ResponseWriter, r *http.Request, refusal *Error) {
	level := slog.LevelInfo
	if refusal.Status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	log.Log(r.Context(), level, "refused",
		"method", r.Method, "path", r.URL.Path, "status", refusal.Status, "message", refusal.Message,
		"violations", refusal.Violations, "cause", refusal.cause, "correlation", w.Header().Get(CorrelationHeader))
}
