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

func (f *fido2Server) generateAuthentication(p person, in authenticationRequestInput) (ceremonyRequest, error) {
	if len(p.ofProtocol(fido2)) == 0 {
		return ceremonyRequest{}, wire.Conflict("No authenticators available")
	}
	userVerification := protocol.UserVerificationRequirement(or(in.UserVerification, "preferred"))
	assertion, session, err := f.relyingParty.BeginLogin(account{p}, webauthn.WithUserVerification(userVerification))
	if err != nil {
		return ceremonyRequest{}, err
	}
	message, err := requestText(assertion.Response)
	if err != nil {
		return ceremonyRequest{}, err
	}
	requestID := "authentication:" + uuid.NewString()
	f.signIns.add(requestID, ceremony{user: p.id, session: *session}, f.now())
	return ceremonyRequest{message: message, requestID: &requestID}, nil
}

func (f *fido2Server) verifyAuthentication(p person, requestID, response string) (proof, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
	if err != nil {
		return proof{}, malformed("credentials.fidoAuthenticator.authenticationResponse", err)
	}
	session, ok := f.take(f.signIns, requestID, p)
	if !ok {
		return proof{}, wire.Conflict("Request ID is invalid")
	}
	session.AllowedCredentialIDs = stillOwned(session.AllowedCredentialIDs, account{p})
	credential, err := f.relyingParty.ValidateLogin(account{p}, session, parsed)
	if err != nil {
		return proof{}, wire.Conflict("Authentication failed").Because(reason(err))
	}
	i := slices.IndexFunc(p.registrations, func(r registration) bool { return bytes.Equal(r.credential.ID, credential.ID) })
	signed := parsed.Response.AuthenticatorData
	return proof{registrationID: p.registrations[i].id, commit: func(r *registration) error {
		// Judged by the counter as it is now: a second sign-in may have moved it
		// since this one was verified.
		r.credential.Authenticator.UpdateCounter(signed.Counter)
		if r.credential.Authenticator.CloneWarning {
			return wire.Conflict("Authentication failed").Because(errors.New("the signature counter went back"))
		}
		r.credential.Flags = r.credential.Flags.Update(signed.Flags)
		return nil
	}}, nil
}

// stillOwned leaves out what was deregistered since the request was made:
// go-webauthn would refuse the person's other credentials with it.
func stillOwned(allowed [][]byte, a account) [][]byte {
	return slices.DeleteFunc(slices.Clone(allowed), func(id []byte) bool {
		return !slices.ContainsFunc(a.WebAuthnCredentials(), func(c webauthn.Credential) bool { return bytes.Equal(c.ID, id) })
	})
}
