package platform_test

import (
	"log/slog"
	"maps"
	"slices"
	"testing"

	"countersign/internal/fault"
)

// One message of each kind in part 7.2 of the specification. The first six business errors
// can occur in every operation.
var (
	activationMessages = []string{"Invalid Request ID", "Failed to encrypt data", "Authenticator not supported"}
	firstSixMessages   = []string{"The authenticator limit has been reached", "Authentication failed", "User is locked"}
	sendingMessages    = map[string][]string{
		"Unable to send remote authentication.": {"login", "sessionStatus"},
		"Unable to send remote transaction.":    {"validateTransaction", "sessionStatus"},
	}
	activates = []string{"registerUser", "orchestrationCommands", "checkActivationStatus"}
)

// met reports whether the specification names a scenario of the operation for the
// message.
func met(operation, message string) bool {
	switch {
	case slices.Contains(activationMessages, message):
		return slices.Contains(activates, operation)
	case slices.Contains(firstSixMessages, message):
		// A poll concerns a remote authentication or transaction, which the conditions of
		// three of them name.
		return operation != "sessionStatus" || message != "User is locked" && message != "The authenticator limit has been reached"
	}
	return slices.Contains(sendingMessages[message], operation)
}

// A failure of the platform stays a failure, whatever its text, and needs an operator's
// attention; only in its own scenario does a text mean more.
func TestFailure_TextOnlyInOwnScenario(t *testing.T) {
	all := slices.Concat(activationMessages, firstSixMessages, slices.Collect(maps.Keys(sendingMessages)))
	for name, call := range methods {
		for _, message := range all {
			for _, release := range []fault.Release{fault.R3, fault.R4} {
				for _, status := range []int{500, 504} {
					err := call(t, ofRelease(t, release, status, `{"error":"Internal Server Error","message":`+asJSON(message)+`}`))
					f := fault.From(err)
					if understood := f.Specific != ""; understood != met(name, message) {
						t.Errorf("%s, %s, %d %s: %v", release, name, status, message, err)
					}
					if f.Specific == "" && (f.Key != fault.PlatformFailed || !f.Untranslated || f.MostSpecific().Level != slog.LevelError) {
						t.Errorf("%s, %s, %d %s: %+v", release, name, status, message, f)
					}
				}
			}
		}
	}
}

// Only the orchestration service sends numbers.
func TestNumbers_OnlyFromOrchestration(t *testing.T) {
	for name, call := range methods {
		for _, release := range []fault.Release{fault.R3, fault.R4} {
			for body, want := range map[string]fault.Key{
				`{"errorCode":-8000}`: fault.OrchestrationUnknownError, `{"retCode":"-8006"}`: fault.OrchestrationTransactionError,
				`{"errorCategory":"session","errorCode":-1401}`: fault.OrchestrationSessionError,
			} {
				f := fault.From(call(t, ofRelease(t, release, 500, body)))
				if !slices.Contains(activates, name) {
					want = ""
				}
				if f.Specific != want || want == "" && f.Key != fault.PlatformFailed {
					t.Errorf("%s, %s, %s: %+v, want %s", release, name, body, f, want)
				}
			}
		}
	}
}

// A refusal has the row of the call, and that of the text as Specific if the text is
// known.
func TestOperations_KeyAndSpecificKey(t *testing.T) {
	for message, operations := range map[string][]string{
		"Timed out":                             {"login", "validateTransaction"},
		"Failed to encrypt data":                activates,
		"Unable to send remote authentication.": {"login"},
		"Unable to send remote transaction.":    {"validateTransaction"},
	} {
		for name, call := range methods {
			for _, status := range []int{400, 409} {
				c, _ := says(t, status, `{"error":"Conflict","message":`+asJSON(message)+`}`)
				f := fault.From(call(t, c))
				known := slices.Contains(operations, name) || name == "sessionStatus" && status == 409 && message != "Failed to encrypt data"
				named := f.Key == fault.SignInUnknown // an unknown sign-in needs no further reason
				if (f.Specific != "") != known || f.Untranslated == (known || named) || f.Key == fault.PlatformFailed {
					t.Errorf("%s %d %s: %+v", name, status, message, f)
				}
			}
		}
	}
}
