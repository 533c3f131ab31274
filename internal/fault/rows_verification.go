package fault

import (
	"log/slog"
	"net/http"
)

// The keys of identity verification.
const (
	// VerificationInvalid is a payload that the platform refuses.
	VerificationInvalid Key = "verification.invalid"
	// VerificationState is what a transaction's state does not allow.
	VerificationState Key = "verification.state"
	// VerificationNotReady is what there will be when the transaction has gone on.
	VerificationNotReady Key = "verification.not-ready"
	// VerificationRefused is what the platform does not permit the account.
	VerificationRefused Key = "verification.refused"
	// VerificationOperatorsOnly is what operators alone may do.
	VerificationOperatorsOnly Key = "verification.operators-only"
)

var verificationRows = []Row{
	{Key: VerificationInvalid, Status: http.StatusBadRequest, Level: slog.LevelInfo},
	{Key: VerificationState, Status: http.StatusConflict, Level: slog.LevelInfo},
	{Key: VerificationNotReady, Status: http.StatusConflict, Retryable: true, Level: slog.LevelInfo, Action: ActionRetry},
	{Key: VerificationRefused, Status: http.StatusConflict, Level: slog.LevelWarn, Action: ActionContact},
	{Key: VerificationOperatorsOnly, Status: http.StatusForbidden, Level: slog.LevelInfo},
}
