package fault

import (
	"log/slog"
	"net/http"
)

// The keys of activating a device: the system errors of part 7.2, in its order, and the
// business errors that occur only there.
const (
	ActivationRefused Key = "activation.refused"

	OrchestrationRequestExpired          Key = "orchestration.request-expired"
	OrchestrationActivationPasswordWrong Key = "orchestration.activation-password-wrong"
	OrchestrationActivationExpired       Key = "orchestration.activation-expired"
	OrchestrationActivationOutdated      Key = "orchestration.activation-outdated"
	OrchestrationMessageUnreadable       Key = "orchestration.message-unreadable"
	OrchestrationEncryptionFailed        Key = "orchestration.encryption-failed"
	OrchestrationSessionUnknown          Key = "orchestration.session-unknown"
	OrchestrationCommandMalformed        Key = "orchestration.command-malformed"
	OrchestrationActivationMessage       Key = "orchestration.activation-message-failed"
	OrchestrationDeviceNotAdded          Key = "orchestration.device-not-added"
	OrchestrationDeviceIncomplete        Key = "orchestration.device-incomplete"
	OrchestrationDeviceNotActivated      Key = "orchestration.device-not-activated"
	OrchestrationActivationIncomplete    Key = "orchestration.activation-incomplete"
	OrchestrationNotificationIncomplete  Key = "orchestration.notification-incomplete"
	OrchestrationAuthenticationUnsent    Key = "orchestration.authentication-unsent"
	OrchestrationTransactionUnsent       Key = "orchestration.transaction-unsent"
	OrchestrationEventIncomplete         Key = "orchestration.event-incomplete"
	OrchestrationResponseIncomplete      Key = "orchestration.response-incomplete"
	OrchestrationResponseNotEncoded      Key = "orchestration.response-not-encoded"

	OrchestrationAuthenticatorLimit       Key = "orchestration.authenticator-limit"
	OrchestrationLicenseExhausted         Key = "orchestration.license-exhausted"
	OrchestrationActivationAttempts       Key = "orchestration.activation-attempts"
	OrchestrationNoAuthenticators         Key = "orchestration.no-authenticators"
	OrchestrationAuthenticatorUnsupported Key = "orchestration.authenticator-unsupported"
)

// The keys of the platform's numbers: -8006 and -8000 of 22.R3 and earlier, each for
// several causes, and the categories and codes of the newer orchestration service
// (docs/platform.md I13).
const (
	OrchestrationTransactionError    Key = "orchestration.transaction-error"
	OrchestrationUnknownError        Key = "orchestration.unknown-error"
	OrchestrationInputInvalid        Key = "orchestration.input-invalid"
	OrchestrationInputUnreadable     Key = "orchestration.input-unreadable"
	OrchestrationSystemError         Key = "orchestration.system-error"
	OrchestrationUserError           Key = "orchestration.user-error"
	OrchestrationProvisioningError   Key = "orchestration.provisioning-error"
	OrchestrationAuthenticatorError  Key = "orchestration.authenticator-error"
	OrchestrationSessionError        Key = "orchestration.session-error"
	OrchestrationRiskError           Key = "orchestration.risk-error"
	OrchestrationAuthenticationError Key = "orchestration.authentication-error"
)

var activationRows = []Row{
	{Key: ActivationRefused, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart},
}

// A conflict (409) is an error that a person can resolve by beginning again, even if the
// platform answers 500; a failure of the platform is 502.
var orchestrationRows = []Row{
	refusedIn(onDevice, conflict(OrchestrationRequestExpired, ActionRestart, OnlineActivation)),
	conflict(OrchestrationActivationPasswordWrong, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationActivationExpired, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationActivationOutdated, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationMessageUnreadable, ActionRestart, OnlineActivation),
	failure(OrchestrationEncryptionFailed, OnlineActivation),
	conflict(OrchestrationSessionUnknown, ActionRestart, OnlineActivation),
	malformed(OrchestrationCommandMalformed, OnlineActivation),
	failure(OrchestrationActivationMessage, OnlineActivation),
	conflict(OrchestrationDeviceNotAdded, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationDeviceIncomplete, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationDeviceNotActivated, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationActivationIncomplete, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationNotificationIncomplete, ActionRestart, OnlineActivation),
	failure(OrchestrationAuthenticationUnsent, RemoteAuthentication),
	failure(OrchestrationTransactionUnsent, RemoteTransaction),
	conflict(OrchestrationEventIncomplete, ActionRestart, OnlineActivation),
	failure(OrchestrationResponseIncomplete, OnlineActivation),
	failure(OrchestrationResponseNotEncoded, OnlineActivation),

	conflict(OrchestrationAuthenticatorLimit, ActionContact, firstSix...),
	conflict(OrchestrationLicenseExhausted, ActionContact, OnlineActivation),
	conflict(OrchestrationActivationAttempts, ActionContact, OnlineActivation),
	conflict(OrchestrationNoAuthenticators, ActionContact, OnlineActivation),
	conflict(OrchestrationAuthenticatorUnsupported, ActionOtherAuthenticator, OnlineActivation),

	refusedIn(onDevice, conflict(OrchestrationTransactionError, ActionRestart, OnlineActivation)),
	conflict(OrchestrationUnknownError, ActionNewActivationPassword, OnlineActivation),
	malformed(OrchestrationInputInvalid, OnlineActivation),
	malformed(OrchestrationInputUnreadable, OnlineActivation),
	failure(OrchestrationSystemError, OnlineActivation),
	private(conflict(OrchestrationUserError, ActionContact, OnlineActivation)),
	conflict(OrchestrationProvisioningError, ActionNewActivationPassword, OnlineActivation),
	conflict(OrchestrationAuthenticatorError, ActionOtherAuthenticator, OnlineActivation),
	conflict(OrchestrationSessionError, ActionRestart, OnlineActivation),
	conflict(OrchestrationRiskError, ActionContact, OnlineActivation),
	conflict(OrchestrationAuthenticationError, ActionRestart, OnlineActivation),
}

// conflict returns the row of an error that the person can resolve.
func conflict(key Key, action Action, met ...Scenario) Row {
	return Row{Key: key, Status: http.StatusConflict, Level: slog.LevelWarn, Action: action, Scenarios: met}
}

// failure returns the row of a temporary failure of the platform.
func failure(key Key, met ...Scenario) Row {
	return Row{Key: key, Status: http.StatusBadGateway, Retryable: true, Level: slog.LevelError, Action: ActionRetry, Scenarios: met}
}

// malformed returns the row of an unreadable message of the client.
func malformed(key Key, met ...Scenario) Row {
	return Row{Key: key, Status: http.StatusBadRequest, Level: slog.LevelWarn, Action: ActionRestart, Scenarios: met}
}

// refusedIn returns row with further scenarios in which only a refusal means it.
func refusedIn(others []Scenario, row Row) Row {
	row.RefusedIn = others
	return row
}

func private(row Row) Row {
	row.Private = true
	return row
}
