package manage

import (
	"net/http"
	"testing"

	"countersign/internal/sandbox/wire"
)

// The one message that is a system error to devices and a conflict elsewhere.
func TestInvalidRequestID(t *testing.T) {
	for operation, want := range map[string]int{
		"login": http.StatusConflict, "validateTransaction": http.StatusConflict,
		"registerUser": http.StatusInternalServerError, "orchestrationCommands": http.StatusInternalServerError,
		newerOrchestration: http.StatusInternalServerError,
	} {
		if e := errorOf(operation, wire.InvalidRequestID); e.Status != want || e.Message != wire.InvalidRequestID {
			t.Errorf("%s: %+v", operation, e)
		}
	}
}

func TestOtherSystemErrorsAre500Everywhere(t *testing.T) {
	for _, operation := range []string{"login", "orchestrationCommands"} {
		if e := errorOf(operation, wire.UnknownError); e.Status != http.StatusInternalServerError {
			t.Errorf("%s: %+v", operation, e)
		}
	}
}
