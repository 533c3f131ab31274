package platform_test

import (
	"log/slog"
	"slices"
	"testing"

	"countersign/internal/fault"
)

// The messages of part 7.2 of the specification, by their scenarios there. The first six
// business errors can occur in every operation.
var (
	activationMessages = []string{
		"Invalid Request ID", "Unable to generate ephemeral key during activation step 1.", "Unable to find registration code in Shared Cache",
		"An unknown error has occurred.", "Could not process encrypted message", "Failed to encrypt data", "The registration session was not found",
		"Failed to parse command", "Unable to generate activation message during activation step 2.", "Unable to add device during activation step 3.",
		"Unable to find an element during activation step 3.", "Unable to activate device during activation step 4.",
		"Unable to find an element during activation step 4.", "Unable to find an element during register notification.",
		"Unable to find an element during check mobile event.", "Unable to find an element during encryption of response command.",
		"Unable to encode mobile response.",
		"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
			"Please contact your admin to reset the activation count",
		"Number of activation attempts exceeds number allowed", "No authenticators available", "Authenticator not supported", "Static password has expired",
	}
	firstSixMessages = []string{
		"The authenticator limit has been reached", "User is disabled", "Authentication failed", "User account not found", "User is locked",
	}
	sendingMessages = map[string][]string{
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
func TestAFailureIsThePlatforms(t *testing.T) {
	all := slices.Concat(activationMessages, firstSixMessages)
	for message := range sendingMessages {
		all = append(all, message)
	}
	if len(all) != 29 {
		t.Fatalf("%d messages, where the specification has 29", len(all))
	}
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
func TestANumberIsTheOrchestrationServices(t *testing.T) {
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
func TestOperationsSayWhatHappened(t *testing.T) {
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
