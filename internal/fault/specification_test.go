package fault_test

import (
	"slices"

	"countersign/internal/fault"
)

// message is a message of part 7.2 of the specification, verbatim, with its scenarios
// there and our row for it.
type message struct {
	text string
	met  []fault.Scenario
	key  fault.Key
}

var (
	activation = []fault.Scenario{fault.OnlineActivation}
	firstSix   = []fault.Scenario{fault.OnlineActivation, fault.Login, fault.Authentication, fault.Transaction}
	remote     = []fault.Scenario{fault.RemoteAuthentication, fault.RemoteTransaction}
	// withRemote are the scenarios of those of the first six messages whose condition
	// also names remote authentication and remote transaction.
	withRemote = slices.Concat(firstSix, remote)
	// atLogin are the scenarios of the messages in the vendor's documentation of a login,
	// and those that end as a login does; atFIDO are the scenarios in which a FIDO server
	// answers.
	atLogin = []fault.Scenario{fault.Login, fault.Transaction, fault.RemoteAuthentication, fault.RemoteTransaction}
	atFIDO  = []fault.Scenario{fault.Login, fault.Authentication, fault.Transaction}
)

// systemErrors is the first table of part 7.2.
var systemErrors = []message{
	{"Invalid Request ID", activation, "orchestration.request-expired"},
	{"Unable to generate ephemeral key during activation step 1.", activation, "orchestration.activation-password-wrong"},
	{"Unable to find registration code in Shared Cache", activation, "orchestration.activation-expired"},
	{"An unknown error has occurred.", activation, "orchestration.activation-outdated"},
	{"Could not process encrypted message", activation, "orchestration.message-unreadable"},
	{"Failed to encrypt data", activation, "orchestration.encryption-failed"},
	{"The registration session was not found", activation, "orchestration.session-unknown"},
	{"Failed to parse command", activation, "orchestration.command-malformed"},
	{"Unable to generate activation message during activation step 2.", activation, "orchestration.activation-message-failed"},
	{"Unable to add device during activation step 3.", activation, "orchestration.device-not-added"},
	{"Unable to find an element during activation step 3.", activation, "orchestration.device-incomplete"},
	{"Unable to activate device during activation step 4.", activation, "orchestration.device-not-activated"},
	{"Unable to find an element during activation step 4.", activation, "orchestration.activation-incomplete"},
	{"Unable to find an element during register notification.", activation, "orchestration.notification-incomplete"},
	{"Unable to send remote authentication.", []fault.Scenario{fault.RemoteAuthentication}, "orchestration.authentication-unsent"},
	{"Unable to send remote transaction.", []fault.Scenario{fault.RemoteTransaction}, "orchestration.transaction-unsent"},
	{"Unable to find an element during check mobile event.", activation, "orchestration.event-incomplete"},
	{"Unable to find an element during encryption of response command.", activation, "orchestration.response-incomplete"},
	{"Unable to encode mobile response.", activation, "orchestration.response-not-encoded"},
}

// businessErrors is the second table of part 7.2.
var businessErrors = []message{
	{"The authenticator limit has been reached", firstSix, "orchestration.authenticator-limit"},
	{"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
		"Please contact your admin to reset the activation count", activation, "orchestration.license-exhausted"},
	{"User is disabled", withRemote, "account.disabled"},
	{"Authentication failed", withRemote, "authentication.failed"},
	{"User account not found", withRemote, "account.unknown"},
	{"User is locked", firstSix, "account.locked"},
	{"Number of activation attempts exceeds number allowed", activation, "orchestration.activation-attempts"},
	{"No authenticators available", activation, "orchestration.no-authenticators"},
	{"Authenticator not supported", activation, "orchestration.authenticator-unsupported"},
	{"Static password has expired", activation, "account.password-expired"},
}

// loginMessages are the messages in the vendor's documentation of a login that part 7.2
// does not list.
var loginMessages = []message{
	{"Request ID is invalid", activation, "orchestration.request-expired"},
	{"User is disabled.", withRemote, "account.disabled"},
	{"User refused", atLogin, "authentication.declined"},
	{"Registration ceremony was not started", atFIDO, "ceremony.not-started"},
	{"Timed out", atLogin, "authentication.timed-out"},
	{"Gateway exited with error", atLogin, "authentication.undelivered"},
	{"Message not sent. Gateway exited with error and reported: invalid_destination.", atLogin, "authentication.invalid-destination"},
	{"Failed to send push notification. No applicable digipass found. Instance should have both a PNID and a secure channel set.",
		atLogin, "authentication.no-device"},
	{"UAF 1.1: Unacceptable Content. There was a problem with the contents of the message and the server was unwilling or unable to process it.",
		atFIDO, "uaf.unacceptable-content"},
	{"UAF 1.1: The server refused to service the request because the request message nonce was unknown, expired or the server has " +
		"previously serviced a message with the same nonce and user ID.", atFIDO, "uaf.request-invalid"},
}

// refusedIn is the meaning of messages of part 7.2 in refusals of scenarios that the
// specification does not name for them.
var refusedIn = map[string]struct {
	scenarios []fault.Scenario
	key       fault.Key
}{
	"Invalid Request ID":          {atLogin, "orchestration.request-expired"},
	"Request ID is invalid":       {atLogin, "orchestration.request-expired"},
	"User is locked":              {remote, "account.locked"},
	"Static password has expired": {[]fault.Scenario{fault.Login}, "account.password-expired"},
	"No authenticators available": {slices.Concat(remote, atFIDO), "authentication.no-authenticator"},
}

// allScenarios are all scenarios in which a message may occur.
var allScenarios = []fault.Scenario{
	"", fault.OnlineActivation, fault.Login, fault.Authentication, fault.Transaction, fault.RemoteAuthentication, fault.RemoteTransaction,
}
