package fault

import (
	"log/slog"
	"net/http"
)

// The keys of errors in a request, a session or a ceremony.
const (
	RequestMalformed Key = "request.malformed"
	RequestInvalid   Key = "request.invalid"
	RequestMediaType Key = "request.media-type"
	RequestTooLarge  Key = "request.too-large"
	// RequestTooSlow is an upload that comes too slowly.
	RequestTooSlow Key = "request.too-slow"
	// RequestRange is a requested range outside the file.
	RequestRange       Key = "request.range"
	RequestNotFound    Key = "request.not-found"
	RequestMethod      Key = "request.method"
	RequestHost        Key = "request.host"
	RequestCrossOrigin Key = "request.cross-origin"
	// RequestPrefetch is a page that a browser loads ahead, although opening it has
	// consequences.
	RequestPrefetch Key = "request.prefetch"
	RequestRate     Key = "request.rate"
	// RequestUploads is why an upload is request.rate: as many as may be are under way.
	RequestUploads   Key = "request.uploads"
	RequestCancelled Key = "request.cancelled"
	// RequestIdempotencyMismatch is a key that was used for another request.
	RequestIdempotencyMismatch Key = "request.idempotency-mismatch"
	// RequestIdempotencyBusy is an idempotency key whose first request is under way.
	RequestIdempotencyBusy Key = "request.idempotency-busy"
	// RequestIdempotencyLost is an idempotency key whose first request got no answer, and
	// for which it cannot be found out whether it was carried out.
	RequestIdempotencyLost Key = "request.idempotency-lost"

	// DocumentNotShown is a document whose pages cannot be shown.
	DocumentNotShown Key = "document.not-shown"

	SessionRequired  Key = "session.required"
	SessionAccount   Key = "session.account"
	SessionForbidden Key = "session.forbidden"
	// SessionOtherPerson is the form of a page that was shown to another person than the one
	// who is signed in now.
	SessionOtherPerson Key = "session.other-person"
	SessionStepUp      Key = "session.step-up"
	SessionUnknown     Key = "session.unknown"
	SessionUnavailable Key = "session.unavailable"
	// SessionProof is a bound session's token without a good proof of its key.
	SessionProof Key = "session.proof"
	// SessionProofRequired is an app's sign-in without a proof, where every app's session
	// is bound to a key.
	SessionProofRequired Key = "session.proof-required"

	// SignInRefused is the one row of every refused sign-in, so that nobody learns which
	// accounts exist and their states.
	SignInRefused Key = "sign-in.refused"
	SignInUnknown Key = "sign-in.unknown"

	CeremonyMalformed Key = "ceremony.malformed"
	CeremonyType      Key = "ceremony.type"
	CeremonyOrigin    Key = "ceremony.origin"
	CeremonyRP        Key = "ceremony.rp"
	CeremonySpent     Key = "ceremony.spent"
	CeremonyUnknown   Key = "ceremony.unknown"
	CeremonyMismatch  Key = "ceremony.mismatch"
	CeremonyRefused   Key = "ceremony.refused"
	// CeremonyModel is a passkey of a model that is not allowed here.
	CeremonyModel Key = "ceremony.model"

	AuthenticatorLast Key = "authenticator.last"
	// AuthenticatorTheirs is authenticator.last for an operator, about somebody else's.
	AuthenticatorTheirs  Key = "authenticator.last-theirs"
	AuthenticatorUnknown Key = "authenticator.unknown"
)

var ownRows = []Row{
	{Key: RequestMalformed, Status: http.StatusBadRequest, Level: slog.LevelInfo},
	{Key: RequestInvalid, Status: http.StatusBadRequest, Level: slog.LevelInfo},
	{Key: RequestMediaType, Status: http.StatusUnsupportedMediaType, Level: slog.LevelInfo},
	{Key: RequestTooLarge, Status: http.StatusRequestEntityTooLarge, Level: slog.LevelInfo},
	{Key: RequestTooSlow, Status: http.StatusRequestTimeout, Retryable: true, Level: slog.LevelInfo, Action: ActionRetry},
	{Key: RequestRange, Status: http.StatusRequestedRangeNotSatisfiable, Level: slog.LevelInfo},
	{Key: RequestNotFound, Status: http.StatusNotFound, Level: slog.LevelInfo},
	{Key: RequestMethod, Status: http.StatusMethodNotAllowed, Level: slog.LevelInfo},
	{Key: RequestHost, Status: http.StatusMisdirectedRequest, Level: slog.LevelWarn},
	{Key: RequestCrossOrigin, Status: http.StatusForbidden, Level: slog.LevelWarn},
	{Key: RequestPrefetch, Status: http.StatusForbidden, Level: slog.LevelInfo},
	{Key: RequestRate, Status: http.StatusTooManyRequests, Retryable: true, Level: slog.LevelWarn, Action: ActionRetry},
	{Key: RequestUploads, Status: http.StatusTooManyRequests, Retryable: true, Level: slog.LevelWarn, Action: ActionRetry, DetailOnly: true},
	{Key: RequestCancelled, Status: 499, Retryable: true, Level: slog.LevelInfo, Action: ActionRetry},
	{Key: RequestIdempotencyMismatch, Status: http.StatusUnprocessableEntity, Level: slog.LevelInfo},
	{Key: RequestIdempotencyBusy, Status: http.StatusConflict, Retryable: true, Level: slog.LevelInfo, Action: ActionRetry},
	{Key: RequestIdempotencyLost, Status: http.StatusConflict, Level: slog.LevelWarn},

	{Key: DocumentNotShown, Status: http.StatusUnprocessableEntity, Level: slog.LevelInfo},

	{Key: SessionRequired, Status: http.StatusUnauthorized, Level: slog.LevelInfo, Action: ActionSignIn},
	{Key: SessionAccount, Status: http.StatusUnauthorized, Level: slog.LevelWarn, Action: ActionSignIn},
	{Key: SessionForbidden, Status: http.StatusForbidden, Level: slog.LevelWarn},
	{Key: SessionOtherPerson, Status: http.StatusConflict, Level: slog.LevelWarn},
	{Key: SessionStepUp, Status: http.StatusForbidden, Level: slog.LevelInfo, Action: ActionSignIn},
	{Key: SessionUnknown, Status: http.StatusNotFound, Level: slog.LevelInfo},
	{Key: SessionUnavailable, Status: http.StatusServiceUnavailable, Retryable: true, Level: slog.LevelError, Action: ActionRetry},

	{Key: SessionProof, Status: http.StatusUnauthorized, Level: slog.LevelInfo},
	{Key: SessionProofRequired, Status: http.StatusBadRequest, Level: slog.LevelInfo},

	{Key: SignInRefused, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionSignIn},
	{Key: SignInUnknown, Status: http.StatusNotFound, Level: slog.LevelInfo, Action: ActionSignIn},

	{Key: CeremonyMalformed, Status: http.StatusBadRequest, Level: slog.LevelInfo, Action: ActionRestart},
	{Key: CeremonyType, Status: http.StatusBadRequest, Level: slog.LevelWarn, Action: ActionRestart},
	{Key: CeremonyOrigin, Status: http.StatusBadRequest, Level: slog.LevelWarn, Action: ActionRestart},
	{Key: CeremonyRP, Status: http.StatusBadRequest, Level: slog.LevelWarn, Action: ActionRestart},
	{Key: CeremonySpent, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart},
	{Key: CeremonyUnknown, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart},
	{Key: CeremonyMismatch, Status: http.StatusConflict, Level: slog.LevelWarn, Action: ActionRestart},
	{Key: CeremonyRefused, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionRestart},
	{Key: CeremonyModel, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionOtherAuthenticator},

	{Key: AuthenticatorLast, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionConfirm},
	{Key: AuthenticatorTheirs, Status: http.StatusConflict, Level: slog.LevelInfo, Action: ActionConfirm, DetailOnly: true},
	{Key: AuthenticatorUnknown, Status: http.StatusNotFound, Level: slog.LevelInfo},
}

// The keys of failures of the platform or of our own.
const (
	PlatformRefused     Key = "platform.refused"
	PlatformFailed      Key = "platform.failed"
	PlatformUnavailable Key = "platform.unavailable"

	// ServerUnavailable is an outage of Redis, except for sessions.
	ServerUnavailable Key = "server.unavailable"
	ServerInternal    Key = "server.internal"
)

var platformRows = []Row{
	{Key: PlatformRefused, Status: http.StatusConflict, Level: slog.LevelWarn},
	{Key: PlatformFailed, Status: http.StatusBadGateway, Retryable: true, Level: slog.LevelError, Action: ActionRetry},
	{Key: PlatformUnavailable, Status: http.StatusServiceUnavailable, Retryable: true, Level: slog.LevelError, Action: ActionRetry},

	{Key: ServerUnavailable, Status: http.StatusServiceUnavailable, Retryable: true, Level: slog.LevelError, Action: ActionRetry},
	{Key: ServerInternal, Status: http.StatusInternalServerError, Level: slog.LevelError},
}
