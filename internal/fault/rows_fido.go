package fault

import (
	"log/slog"
	"net/http"
)

// The keys of a FIDO server's reasons for refusing an authenticator's response: the UAF
// status codes, and the verification failures of WebAuthn. They refine the row of the
// call, such as ceremony.refused.
const (
	CeremonyNotStarted Key = "ceremony.not-started"

	WebAuthnUnverified Key = "webauthn.unverified"
	WebAuthnRegistered Key = "webauthn.registered"

	UAFBadRequest                Key = "uaf.bad-request"
	UAFUnauthorized              Key = "uaf.unauthorized"
	UAFForbidden                 Key = "uaf.forbidden"
	UAFNotFound                  Key = "uaf.not-found"
	UAFTimeout                   Key = "uaf.timeout"
	UAFUnknownAAID               Key = "uaf.unknown-aaid"
	UAFUnknownKeyID              Key = "uaf.unknown-key-id"
	UAFChannelBinding            Key = "uaf.channel-binding"
	UAFRequestInvalid            Key = "uaf.request-invalid"
	UAFUnacceptableAuthenticator Key = "uaf.unacceptable-authenticator"
	UAFRevokedAuthenticator      Key = "uaf.revoked-authenticator"
	UAFUnacceptableKey           Key = "uaf.unacceptable-key"
	UAFUnacceptableAlgorithm     Key = "uaf.unacceptable-algorithm"
	UAFUnacceptableAttestation   Key = "uaf.unacceptable-attestation"
	UAFUnacceptableClient        Key = "uaf.unacceptable-client"
	UAFUnacceptableContent       Key = "uaf.unacceptable-content"
	UAFInternalError             Key = "uaf.internal-error"
)

var fidoRows = []Row{
	refinement(CeremonyNotStarted, ActionRestart),

	refinement(WebAuthnUnverified, ActionRestart),
	refinement(WebAuthnRegistered, ActionOtherAuthenticator),

	refinement(UAFBadRequest, ActionRestart),
	refinement(UAFUnauthorized, ActionSignIn),
	refinement(UAFForbidden, ActionContact),
	refinement(UAFNotFound, ActionRestart),
	refinement(UAFTimeout, ActionRestart),
	refinement(UAFUnknownAAID, ActionOtherAuthenticator),
	refinement(UAFUnknownKeyID, ActionOtherAuthenticator),
	refinement(UAFChannelBinding, ActionRestart),
	refinement(UAFRequestInvalid, ActionRestart),
	refinement(UAFUnacceptableAuthenticator, ActionOtherAuthenticator),
	refinement(UAFRevokedAuthenticator, ActionOtherAuthenticator),
	refinement(UAFUnacceptableKey, ActionOtherAuthenticator),
	refinement(UAFUnacceptableAlgorithm, ActionOtherAuthenticator),
	refinement(UAFUnacceptableAttestation, ActionOtherAuthenticator),
	refinement(UAFUnacceptableClient, ActionOtherAuthenticator),
	refinement(UAFUnacceptableContent, ActionRestart),
	refinement(UAFInternalError, ActionRestart),
}

// refinement returns a row that lends its texts to a wider one.
func refinement(key Key, action Action) Row {
	return Row{
		Key: key, Status: http.StatusConflict, Level: slog.LevelWarn, Action: action, DetailOnly: true,
		Scenarios: []Scenario{Login, Authentication, Transaction},
	}
}
