package fault

import (
	"log/slog"
	"net/http"
)

// The keys of identity verification.
const (
	// VerificationInvalid is a payload that the platform refuses.
	VerificationInvalid Key = "verification.invalid"
	// VerificationState is an action that the transaction's state does not allow.
	VerificationState Key = "verification.state"
	// VerificationNotReady is an object that will exist only later in the transaction.
	VerificationNotReady Key = "verification.not-ready"
	// VerificationRefused is an action that the platform does not permit to the account.
	VerificationRefused Key = "verification.refused"
	// VerificationOperatorsOnly is an action that only operators may take.
	VerificationOperatorsOnly Key = "verification.operators-only"
)

var verificationRows = []Row{
	{Key: VerificationInvalid, Status: http.StatusBadRequest, Level: slog.LevelInfo},
	{Key: VerificationState, Status: http.StatusConflict, Level: slog.LevelInfo},
	{Key: VerificationNotReady, Status: http.StatusConflict, Retryable: true, Level: slog.LevelInfo, Action: ActionRetry},
	{Key: VerificationRefused, Status: http.StatusConflict, Level: slog.LevelWarn, Action: ActionContact},
	{Key: VerificationOperatorsOnly, Status: http.StatusForbidden, Level: slog.LevelInfo},
}
