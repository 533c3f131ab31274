package identity

import (
	"net/http"
	"testing"
)

// Each category's codes are in its public range (docs/platform.md I13).
func TestCategories_CodesInRange(t *testing.T) {
	ranges := map[string][2]int{
		"system": {-1099, -1000}, "user": {-1199, -1100}, "provisioning": {-1299, -1200}, "authenticator": {-1399, -1300},
		"session": {-1499, -1400}, "authentication": {-1699, -1600}, "transaction": {-1799, -1700},
	}
	for message, kind := range messages {
		in, ok := ranges[kind.name]
		if !ok || kind.category.code < in[0] || kind.category.code > in[1] {
			t.Errorf("%q: %+v", message, kind.category)
		}
	}
}

// One message is a system error for devices and a conflict in other calls.
func TestInvalidRequestID_ByOperation(t *testing.T) {
	for operation, want := range map[string]int{
		"login": http.StatusConflict, "validateTransaction": http.StatusConflict,
		"registerUser": http.StatusInternalServerError, "orchestrationCommands": http.StatusInternalServerError,
	} {
		if e := (errorForm{}).Refusal(operation, invalidRequestID); e.Status != want || e.Message != invalidRequestID {
			t.Errorf("%s: %+v", operation, e)
		}
	}
}

func TestSystemError_StatusInEveryOperation(t *testing.T) {
	for _, operation := range []string{"login", "orchestrationCommands"} {
		if e := (errorForm{}).Refusal(operation, unknownError); e.Status != http.StatusInternalServerError {
			t.Errorf("%s: %+v", operation, e)
		}
	}
}
