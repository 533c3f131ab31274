package manage

import (
	"net/http"
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
		for _, operation := range []string{"orchestrationCommands", "registerUser"} {
			e := errorOf(operation, message, currentRelease)
			if e.Status != http.StatusInternalServerError || e.Message != message || e.Code != 0 {
				t.Errorf("%s, %q: %+v", operation, message, e)
			}
		}
	}
	if len(systemErrors) != len(specifiedSystemErrors) {
		t.Errorf("%d system errors, the specification has %d", len(systemErrors), len(specifiedSystemErrors))
	}
}

func TestBusinessErrorsAre409(t *testing.T) {
	for _, message := range specifiedBusinessErrors {
		want := http.StatusConflict
		if message == "User account not found" {
			want = http.StatusNotFound
		}
		for _, release := range []string{currentRelease, oldRelease} {
			e := errorOf("login", message, release)
			if e.Status != want || e.Message != message || e.Code != 0 {
				t.Errorf("%s, %q: %+v", release, message, e)
			}
		}
	}
}
