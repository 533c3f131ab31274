package fault

import (
	"log/slog"
	"net/http"
	"slices"
)

// The keys of an account's state (business errors of part 7.2), and of other reasons why
// a person cannot authenticate.
const (
	AccountUnknown         Key = "account.unknown"
	AccountDisabled        Key = "account.disabled"
	AccountLocked          Key = "account.locked"
	AccountPasswordExpired Key = "account.password-expired"
	// AccountNotLocked is an account that an operator wants to unlock, and that is not locked.
	AccountNotLocked Key = "account.not-locked"

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
	remote       = []Scenario{RemoteAuthentication, RemoteTransaction}
	// firstSix are the scenarios of the first six business errors; everywhere adds those
	// that the conditions of most of them name.
	firstSix   = []Scenario{OnlineActivation, Login, Authentication, Transaction}
	everywhere = slices.Concat(firstSix, remote)
	// onDevice are the scenarios in which a person may decide on their device; atSignIn
	// adds the one in which they authenticate otherwise.
	onDevice = []Scenario{Login, Transaction, RemoteAuthentication, RemoteTransaction}
	atSignIn = []Scenario{Login, Authentication, Transaction, RemoteAuthentication, RemoteTransaction}
)

var accountRows = []Row{
	{Key: AccountUnknown, Status: http.StatusConflict, Level: slog.LevelWarn, Action: ActionSignIn, Scenarios: everywhere, Private: true},
	{Key: AccountDisabled, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionContact, Scenarios: everywhere, Private: true},
	{Key: AccountLocked, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionContact, Scenarios: firstSix, RefusedIn: remote, Private: true},
	{
		Key: AccountPasswordExpired, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionChangePassword,
		Scenarios: inActivation, RefusedIn: []Scenario{Login}, Private: true,
	},
	{Key: AccountNotLocked, Status: http.StatusConflict, Level: slog.LevelInfo},
}

var authenticationRows = []Row{
	{Key: AuthenticationFailed, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionOtherAuthenticator, Scenarios: everywhere},
	{Key: AuthenticationDeclined, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart, Scenarios: onDevice},
	{Key: AuthenticationTimedOut, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart, Scenarios: onDevice},
	{Key: AuthenticationNoAuthenticator, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionOtherAuthenticator, RefusedIn: atSignIn},
	{Key: AuthenticationNoDevice, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionOtherAuthenticator, Scenarios: onDevice},
	{Key: AuthenticationInvalidDestination, Status: http.StatusConflict, Level: slog.LevelWarn, Action: ActionContact, Scenarios: onDevice},
	{Key: AuthenticationUndelivered, Status: http.StatusBadGateway, Retryable: true, Level: slog.LevelError, Action: ActionRetry, Scenarios: onDevice},

	{Key: TransactionRefused, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart},
}
