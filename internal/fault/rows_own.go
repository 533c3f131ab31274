package fault

import "net/http"

// The keys of what is wrong with a request, a session or a ceremony.
const (
	RequestMalformed   Key = "request.malformed"
	RequestInvalid     Key = "request.invalid"
	RequestMediaType   Key = "request.media-type"
	RequestTooLarge    Key = "request.too-large"
	RequestNotFound    Key = "request.not-found"
	RequestMethod      Key = "request.method"
	RequestHost        Key = "request.host"
	RequestCrossOrigin Key = "request.cross-origin"
	RequestRate        Key = "request.rate"
	RequestCancelled   Key = "request.cancelled"

	SessionRequired    Key = "session.required"
	SessionForbidden   Key = "session.forbidden"
	SessionStepUp      Key = "session.step-up"
	SessionUnknown     Key = "session.unknown"
	SessionUnavailable Key = "session.unavailable"

	// SignInRefused is the one answer to whatever keeps somebody from signing in,
	// so that nobody learns which accounts there are and in what state.
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

	AuthenticatorLast    Key = "authenticator.last"
	AuthenticatorUnknown Key = "authenticator.unknown"
)

var ownRows = []Row{
	{Key: RequestMalformed, Status: http.StatusBadRequest, Level: quiet},
	{Key: RequestInvalid, Status: http.StatusBadRequest, Level: quiet},
	{Key: RequestMediaType, Status: http.StatusUnsupportedMediaType, Level: quiet},
	{Key: RequestTooLarge, Status: http.StatusRequestEntityTooLarge, Level: quiet},
	{Key: RequestNotFound, Status: http.StatusNotFound, Level: quiet},
	{Key: RequestMethod, Status: http.StatusMethodNotAllowed, Level: quiet},
	{Key: RequestHost, Status: http.StatusMisdirectedRequest, Level: warn},
	{Key: RequestCrossOrigin, Status: http.StatusForbidden, Level: warn},
	{Key: RequestRate, Status: http.StatusTooManyRequests, Retryable: true, Level: warn, Action: ActionRetry},
	{Key: RequestCancelled, Status: 499, Retryable: true, Level: quiet, Action: ActionRetry},

	{Key: SessionRequired, Status: http.StatusUnauthorized, Level: quiet, Action: ActionSignIn},
	{Key: SessionForbidden, Status: http.StatusForbidden, Level: warn},
	{Key: SessionStepUp, Status: http.StatusForbidden, Level: quiet, Action: ActionSignIn},
	{Key: SessionUnknown, Status: http.StatusNotFound, Level: quiet},
	{Key: SessionUnavailable, Status: http.StatusServiceUnavailable, Retryable: true, Level: loud, Action: ActionRetry},

	{Key: SignInRefused, Status: http.StatusConflict, Level: quiet, Action: ActionSignIn},
	{Key: SignInUnknown, Status: http.StatusNotFound, Level: quiet, Action: ActionSignIn},

	{Key: CeremonyMalformed, Status: http.StatusBadRequest, Level: quiet, Action: ActionRestart},
	{Key: CeremonyType, Status: http.StatusBadRequest, Level: warn, Action: ActionRestart},
	{Key: CeremonyOrigin, Status: http.StatusBadRequest, Level: warn, Action: ActionRestart},
	{Key: CeremonyRP, Status: http.StatusBadRequest, Level: warn, Action: ActionRestart},
	{Key: CeremonySpent, Status: http.StatusConflict, Level: quiet, Action: ActionRestart},
	{Key: CeremonyUnknown, Status: http.StatusConflict, Level: quiet, Action: ActionRestart},
	{Key: CeremonyMismatch, Status: http.StatusConflict, Level: warn, Action: ActionRestart},
	{Key: CeremonyRefused, Status: http.StatusConflict, Level: quiet, Action: ActionRestart},

	{Key: AuthenticatorLast, Status: http.StatusConflict, Level: quiet, Action: ActionConfirm},
	{Key: AuthenticatorUnknown, Status: http.StatusNotFound, Level: quiet},
}

// The keys of what is wrong with the platform or with us.
const (
	PlatformRefused     Key = "platform.refused"
	PlatformFailed      Key = "platform.failed"
	PlatformUnavailable Key = "platform.unavailable"

	// ServerUnavailable is Redis being away from anything but sessions.
	ServerUnavailable Key = "server.unavailable"
	ServerInternal    Key = "server.internal"
)

var platformRows = []Row{
	{Key: PlatformRefused, Status: http.StatusConflict, Level: warn},
	{Key: PlatformFailed, Status: http.StatusBadGateway, Retryable: true, Level: loud, Action: ActionRetry},
	{Key: PlatformUnavailable, Status: http.StatusServiceUnavailable, Retryable: true, Level: loud, Action: ActionRetry},

	{Key: ServerUnavailable, Status: http.StatusServiceUnavailable, Retryable: true, Level: loud, Action: ActionRetry},
	{Key: ServerInternal, Status: http.StatusInternalServerError, Level: loud},
}
