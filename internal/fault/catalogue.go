package fault

import (
	"log/slog"
	"net/http"
)

// Key names a row of the catalogue: stable, the last part of a problem's type,
// the path of its help page under /errors/.
type Key string

// The keys. Their words are in the language files, their rows below.
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

	AccountUnknown Key = "account.unknown"

	ActivationRefused  Key = "activation.refused"
	TransactionRefused Key = "transaction.refused"

	PlatformRefused     Key = "platform.refused"
	PlatformFailed      Key = "platform.failed"
	PlatformUnavailable Key = "platform.unavailable"

	ServerInternal Key = "server.internal"
)

// Action is what a client can do about an error beyond reading it.
type Action string

// The actions of problem+json's action member.
const (
	ActionNone    Action = ""
	ActionRetry   Action = "retry"
	ActionRestart Action = "restart"
	ActionSignIn  Action = "sign-in"
	ActionConfirm Action = "confirm"
)

// Row is one error of the catalogue.
type Row struct {
	Key    Key
	Status int
	// Retryable says that the same request may succeed later unchanged.
	Retryable bool
	// Level is how loud the log is: Error wakes an operator.
	Level slog.Level
	// Action is what the reader's client can do.
	Action Action
}

// TitleID, MessageID and NextID name the row's sentences in the language files.
func (r Row) TitleID() string   { return "error." + string(r.Key) + ".title" }
func (r Row) MessageID() string { return "error." + string(r.Key) + ".message" }
func (r Row) NextID() string    { return "error." + string(r.Key) + ".next" }

// Rows is the catalogue, in the order of the documentation.
func Rows() []Row { return rows }

// Lookup returns the row of key; an unknown key is server.internal.
func Lookup(key Key) Row {
	if row, ok := byKey[key]; ok {
		return row
	}
	return byKey[ServerInternal]
}

// Known reports whether key has a row.
func Known(key Key) bool {
	_, ok := byKey[key]
	return ok
}

const (
	quiet = slog.LevelInfo
	warn  = slog.LevelWarn
	loud  = slog.LevelError
)

var rows = []Row{
	{RequestMalformed, http.StatusBadRequest, false, quiet, ActionNone},
	{RequestInvalid, http.StatusBadRequest, false, quiet, ActionNone},
	{RequestMediaType, http.StatusUnsupportedMediaType, false, quiet, ActionNone},
	{RequestTooLarge, http.StatusRequestEntityTooLarge, false, quiet, ActionNone},
	{RequestNotFound, http.StatusNotFound, false, quiet, ActionNone},
	{RequestMethod, http.StatusMethodNotAllowed, false, quiet, ActionNone},
	{RequestHost, http.StatusMisdirectedRequest, false, warn, ActionNone},
	{RequestCrossOrigin, http.StatusForbidden, false, warn, ActionNone},
	{RequestRate, http.StatusTooManyRequests, true, warn, ActionRetry},
	{RequestCancelled, 499, true, quiet, ActionRetry},

	{SessionRequired, http.StatusUnauthorized, false, quiet, ActionSignIn},
	{SessionForbidden, http.StatusForbidden, false, warn, ActionNone},
	{SessionStepUp, http.StatusForbidden, false, quiet, ActionSignIn},
	{SessionUnknown, http.StatusNotFound, false, quiet, ActionNone},
	{SessionUnavailable, http.StatusServiceUnavailable, true, loud, ActionRetry},

	{SignInRefused, http.StatusConflict, false, quiet, ActionSignIn},
	{SignInUnknown, http.StatusNotFound, false, quiet, ActionSignIn},

	{CeremonyMalformed, http.StatusBadRequest, false, quiet, ActionRestart},
	{CeremonyType, http.StatusBadRequest, false, warn, ActionRestart},
	{CeremonyOrigin, http.StatusBadRequest, false, warn, ActionRestart},
	{CeremonyRP, http.StatusBadRequest, false, warn, ActionRestart},
	{CeremonySpent, http.StatusConflict, false, quiet, ActionRestart},
	{CeremonyUnknown, http.StatusConflict, false, quiet, ActionRestart},
	{CeremonyMismatch, http.StatusConflict, false, warn, ActionRestart},
	{CeremonyRefused, http.StatusConflict, false, quiet, ActionRestart},

	{AuthenticatorLast, http.StatusConflict, false, quiet, ActionConfirm},
	{AuthenticatorUnknown, http.StatusNotFound, false, quiet, ActionNone},

	{AccountUnknown, http.StatusConflict, false, warn, ActionSignIn},

	{ActivationRefused, http.StatusConflict, false, quiet, ActionRestart},
	{TransactionRefused, http.StatusConflict, false, quiet, ActionRestart},

	{PlatformRefused, http.StatusConflict, false, warn, ActionNone},
	{PlatformFailed, http.StatusBadGateway, true, loud, ActionRetry},
	{PlatformUnavailable, http.StatusServiceUnavailable, true, loud, ActionRetry},

	{ServerInternal, http.StatusInternalServerError, false, loud, ActionNone},
}

var byKey = func() map[Key]Row {
	m := make(map[Key]Row, len(rows))
	for _, r := range rows {
		m[r.Key] = r
	}
	return m
}()
