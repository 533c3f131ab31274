package identity

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (f *fido2Server) generateAuthentication(a account, in authenticationRequestInput) (ceremonyRequest, error) {
	if len(a.ofProtocol(fido2)) == 0 {
		return ceremonyRequest{}, wire.Conflict(noAuthenticators)
	}
	userVerification := protocol.UserVerificationRequirement(or(in.UserVerification, "preferred"))
	assertion, session, err := f.relyingParty.BeginLogin(a, webauthn.WithUserVerification(userVerification))
	if err != nil {
		return ceremonyRequest{}, err
	}
	message, err := requestText(assertion.Response)
	if err != nil {
		return ceremonyRequest{}, err
	}
	requestID := uuid.NewString()
	f.signIns.add(requestID, ceremony{user: a.ID, session: *session}, f.now())
	return ceremonyRequest{message: message, requestID: &requestID}, nil
}

func (f *fido2Server) verifyAuthentication(a account, in assertionInput) ([]assertion, error) {
	parsed, err := parseAssertion(in.response)
	if err != nil {
		return nil, malformed(in.field, err)
	}
	session, ok := f.take(f.signIns, in.requestID, a)
	if !ok {
		return nil, wire.Conflict("Request ID is invalid")
	}
	session.AllowedCredentialIDs = stillOwned(session.AllowedCredentialIDs, a)
	credential, err := f.relyingParty.ValidateLogin(a, session, parsed)
	if err != nil {
		return nil, f.stale(reason(err))
	}
	i := slices.IndexFunc(a.registrations, func(r registration) bool { return bytes.Equal(r.credential.ID, credential.ID) })
	data := parsed.Response.AuthenticatorData
	return []assertion{{registrationID: a.registrations[i].id, commit: func(r *registration) error {
		// A second sign-in may have moved the counter since this one was verified.
		r.credential.Authenticator.UpdateCounter(data.Counter)
		if r.credential.Authenticator.CloneWarning {
			return errors.New("the signature counter went back")
		}
		r.credential.Flags = r.credential.Flags.Update(data.Flags)
		return nil
	}}}, nil
}

func (f *fido2Server) stale(cause error) error {
	return wire.Conflict(authenticationFailed).Because(cause)
}

// stillOwned drops credentials that were deregistered since the request was made: because
// of them go-webauthn would refuse the person's others too.
func stillOwned(allowed [][]byte, a account) [][]byte {
	return slices.DeleteFunc(slices.Clone(allowed), func(id []byte) bool {
		return !slices.ContainsFunc(a.WebAuthnCredentials(), func(c webauthn.Credential) bool { return bytes.Equal(c.ID, id) })
	})
}
