package identity

import (
	"cmp"
	"net/http"
	"time"

	"countersign/internal/sandbox/wire"
)

// errorOutput is the platform's ErrorOutput (docs/platform.md I11). Its members beside the
// required ones are uafStatusCode and, in old releases, errorCode.
type errorOutput struct {
	Status           int               `json:"status"`
	Error            string            `json:"error"`
	Message          string            `json:"message"`
	Members          map[string]any    `json:",embed"`
	Service          string            `json:"service"`
	LogCorrelationID string            `json:"logCorrelationID"`
	Timestamp        time.Time         `json:"timestamp"`
	ValidationErrors []validationError `json:"validationErrors,omitempty"`
}

// validationError is a violation with the object that has the field.
type validationError struct {
	Object string `json:"object"`
	wire.Violation
}

func newErrorOutput(e *wire.Error, c wire.ErrorContext) errorOutput {
	out := errorOutput{
		Status: e.Status, Error: http.StatusText(e.Status), Message: e.Message, Members: e.Members,
		Service: "identity", LogCorrelationID: c.CorrelationID, Timestamp: c.At.UTC(),
	}
	for _, violation := range e.Violations {
		out.ValidationErrors = append(out.ValidationErrors, validationError{cmp.Or(objects[c.Operation], c.Operation), violation})
	}
	return out
}

// objects are the platform's names of the operations' inputs; where there is none, the
// operation's own name stands for it.
var objects = map[string]string{
	"login":                             "LoginInput",
	"validateTransaction":               "TransactionValidationInput",
	"generateFidoRegistrationRequest":   "FidoRegistrationRequestGenerateInput",
	"registerFidoDevice":                "FidoRegistrationResponseOutput",
	"generateFidoAuthenticationRequest": "FidoAuthenticationRequestGenerateInput",
	"registerUser":                      "RegisterUserInputEx",
}

// otherStatuses are the statuses that an operation does not have (docs/platform.md I2), each
// with the one that it answers instead.
var otherStatuses = map[string]map[int]int{
	"generateFidoRegistrationRequest":   {http.StatusConflict: http.StatusBadRequest},
	"generateFidoAuthenticationRequest": {http.StatusConflict: http.StatusBadRequest},
	"registerUser":                      {http.StatusNotFound: http.StatusConflict},
}

// documented gives the refusals of an operation statuses that it has.
func documented(route wire.Route) wire.Route {
	call := route.Call
	route.Call = func(r *http.Request) (any, error) {
		value, err := call(r)
		if err != nil {
			return nil, withDocumentedStatus(route.Operation, wire.AsError(err))
		}
		return value, nil
	}
	return route
}

func withDocumentedStatus(operation string, e *wire.Error) *wire.Error {
	if status, ok := otherStatuses[operation][e.Status]; ok {
		e.Status = status
	}
	return e
}
