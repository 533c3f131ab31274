package identity

import (
	"net/http"
	"slices"
	"testing"
)

// The messages of part 7.2 of the specification, in its order.
var specifiedSystemErrors = []string{
	"Invalid Request ID",
	"Unable to generate ephemeral key during activation step 1.",
	"Unable to find registration code in Shared Cache",
	"An unknown error has occurred.",
	"Could not process encrypted message",
	"Failed to encrypt data",
	"The registration session was not found",
	"Failed to parse command",
	"Unable to generate activation message during activation step 2.",
	"Unable to add device during activation step 3.",
	"Unable to find an element during activation step 3.",
	"Unable to activate device during activation step 4.",
	"Unable to find an element during activation step 4.",
	"Unable to find an element during register notification.",
	"Unable to send remote authentication.",
	"Unable to send remote transaction.",
	"Unable to find an element during check mobile event.",
	"Unable to find an element during encryption of response command.",
	"Unable to encode mobile response.",
}

var specifiedBusinessErrors = []string{
	"The authenticator limit has been reached",
	"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. Please contact your admin to reset the activation count",
	"User is disabled",
	"Authentication failed",
	"User account not found",
	"User is locked",
	"Number of activation attempts exceeds number allowed",
	"No authenticators available",
	"Authenticator not supported",
	"Static password has expired",
}

func TestSystemErrorsAre500(t *testing.T) {
	for _, message := range specifiedSystemErrors {
		if e := orchestrationError(message); !messages[message].system || e.Status != http.StatusInternalServerError || e.Message != message {
			t.Errorf("%q: %+v", message, e)
		}
	}
}

func TestBusinessErrorsAre409(t *testing.T) {
	for _, message := range specifiedBusinessErrors {
		want := http.StatusConflict
		if message == userUnknown {
			want = http.StatusNotFound
		}
		if e := orchestrationError(message); messages[message].system || e.Status != want || e.Message != message {
			t.Errorf("%q: %+v", message, e)
		}
	}
}

// The messages are exactly the specification's.
func TestEveryMessageIsSpecified(t *testing.T) {
	specified := slices.Concat(specifiedSystemErrors, specifiedBusinessErrors)
	for _, message := range specified {
		if messages[message].category.code == 0 {
			t.Errorf("%q has no category", message)
		}
	}
	for message := range messages {
		if !slices.Contains(specified, message) {
			t.Errorf("%q is not in the specification", message)
		}
	}
}

// Each category's codes are in its public range (docs/platform.md I13).
func TestCategoriesKeepToTheirRanges(t *testing.T) {
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
func TestInvalidRequestIDDependsOnTheOperation(t *testing.T) {
	for operation, want := range map[string]int{
		"login": http.StatusConflict, "validateTransaction": http.StatusConflict,
		"registerUser": http.StatusInternalServerError, "orchestrationCommands": http.StatusInternalServerError,
	} {
		if e := (errorForm{}).Refusal(operation, invalidRequestID); e.Status != want || e.Message != invalidRequestID {
			t.Errorf("%s: %+v", operation, e)
		}
	}
}

func TestOtherSystemErrorsAre500Everywhere(t *testing.T) {
	for _, operation := range []string{"login", "orchestrationCommands"} {
		if e := (errorForm{}).Refusal(operation, unknownError); e.Status != http.StatusInternalServerError {
			t.Errorf("%s: %+v", operation, e)
		}
	}
}
