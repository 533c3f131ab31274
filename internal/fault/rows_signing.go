package fault

import (
	"log/slog"
	"net/http"
)

// The keys of electronic signing.
const (
	// SigningInvalid is a payload that the platform refuses.
	SigningInvalid Key = "signing.invalid"
	// SigningState is an action that the package's status does not allow.
	SigningState Key = "signing.state"
	// SigningChanged is a draft that was changed in another place since it was last
	// saved.
	SigningChanged Key = "signing.changed"
	// SigningRefused is an action that the platform does not permit to the account.
	SigningRefused Key = "signing.refused"
	// SigningReadOnly is a signer's request for a change.
	SigningReadOnly Key = "signing.read-only"
	// SigningNotYourRole is an object that belongs to the signer of another role.
	SigningNotYourRole Key = "signing.not-your-role"
	// SigningOperatorsOnly is an action that only operators may take.
	SigningOperatorsOnly Key = "signing.operators-only"
	// SigningProof is a signing page that is not opened because the signer lacks a proof that
	// the package asks for. Error.Proofs names the proofs.
	SigningProof Key = "signing.proof"
	// SigningCustomFieldsOff says that the account has no custom fields.
	SigningCustomFieldsOff Key = "signing.custom-fields-off"
	// SigningIndexBuilding says that the owners of packages are not all known yet.
	SigningIndexBuilding Key = "signing.index-building"
)

var signingRows = []Row{
	{Key: SigningInvalid, Status: http.StatusBadRequest, Level: slog.LevelInfo},
	{Key: SigningState, Status: http.StatusConflict, Level: slog.LevelInfo},
	{Key: SigningChanged, Status: http.StatusConflict, Level: slog.LevelInfo},
	{Key: SigningRefused, Status: http.StatusConflict, Level: slog.LevelWarn, Action: ActionContact},
	{Key: SigningReadOnly, Status: http.StatusForbidden, Level: slog.LevelInfo},
	{Key: SigningNotYourRole, Status: http.StatusForbidden, Level: slog.LevelInfo},
	{Key: SigningOperatorsOnly, Status: http.StatusForbidden, Level: slog.LevelInfo},
	{Key: SigningProof, Status: http.StatusForbidden, Level: slog.LevelInfo, Action: ActionSignIn},
	{Key: SigningCustomFieldsOff, Status: http.StatusForbidden, Level: slog.LevelInfo, Action: ActionContact},
	{Key: SigningIndexBuilding, Status: http.StatusServiceUnavailable, Retryable: true, Level: slog.LevelWarn, Action: ActionRetry},
}
