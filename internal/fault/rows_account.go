package fault

import "net/http"

// The keys of an account's state (business errors of part 7.2), and of what
// keeps a person from authenticating, wherever the platform says so.
const (
	AccountUnknown         Key = "account.unknown"
	AccountDisabled        Key = "account.disabled"
	AccountLocked          Key = "account.locked"
	AccountPasswordExpired Key = "account.password-expired"

	AuthenticationFailed             Key = "authentication.failed"
	AuthenticationDeclined           Key = "authentication.declined"
	AuthenticationTimedOut           Key = "authentication.timed-out"
	AuthenticationNoAuthenticator    Key = "authentication.no-authenticator"
	AuthenticationNoDevice           Key = "authentication.no-device"
	AuthenticationInvalidDestination Key = "authentication.invalid-destination"
	AuthenticationUndelivered        Key = "authentication.undelivered"

	TransactionRefused Key = "transaction.refused"
)

// The scenarios of the specification's lists of errors.
var (
	inActivation = []Scenario{OnlineActivation}
	// everywhere is where the specification's first six business errors are met.
	everywhere = []Scenario{OnlineActivation, Login, Authentication, Transaction, RemoteAuthentication, RemoteTransaction}
	// atSignIn is where a person authenticates or confirms.
	atSignIn = []Scenario{Login, Authentication, Transaction, RemoteAuthentication, RemoteTransaction}
	onDevice = []Scenario{Login, Transaction, RemoteAuthentication, RemoteTransaction}
)

var accountRows = []Row{
	{Key: AccountUnknown, Status: http.StatusConflict, Level: warn, Action: ActionSignIn, Scenarios: everywhere, Private: true},
	{Key: AccountDisabled, Status: http.StatusConflict, Level: quiet, Action: ActionContact, Scenarios: everywhere, Private: true},
	{Key: AccountLocked, Status: http.StatusConflict, Level: quiet, Action: ActionContact, Scenarios: everywhere, Private: true},
	{Key: AccountPasswordExpired, Status: http.StatusConflict, Level: quiet, Action: ActionChangePassword, Scenarios: inActivation, Private: true},
}

var authenticationRows = []Row{
	{Key: AuthenticationFailed, Status: http.StatusConflict, Level: quiet, Action: ActionOtherAuthenticator, Scenarios: everywhere},
	{Key: AuthenticationDeclined, Status: http.StatusConflict, Level: quiet, Action: ActionRestart, Scenarios: onDevice},
	{Key: AuthenticationTimedOut, Status: http.StatusConflict, Level: quiet, Action: ActionRestart, Scenarios: onDevice},
	{Key: AuthenticationNoAuthenticator, Status: http.StatusConflict, Level: quiet, Action: ActionOtherAuthenticator, Scenarios: atSignIn},
	{Key: AuthenticationNoDevice, Status: http.StatusConflict, Level: quiet, Action: ActionOtherAuthenticator, Scenarios: onDevice},
	{Key: AuthenticationInvalidDestination, Status: http.StatusConflict, Level: warn, Action: ActionContact, Scenarios: onDevice},
	{Key: AuthenticationUndelivered, Status: http.StatusBadGateway, Retryable: true, Level: loud, Action: ActionRetry, Scenarios: onDevice},

	{Key: TransactionRefused, Status: http.StatusConflict, Level: quiet, Action: ActionRestart},
}
