package identity

import (
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (f *fido2Server) generateRegistration(a account, in registrationRequestInput) (ceremonyRequest, error) {
	if in.DisplayName != nil && *in.DisplayName != "" {
		a.DisplayName = *in.DisplayName
	}
	creation, session, err := f.relyingParty.BeginRegistration(a,
		webauthn.WithCredentialParameters(slices.Concat(webauthn.CredentialParametersDefault(), postQuantum)),
		webauthn.WithExclusions(webauthn.Credentials(a.WebAuthnCredentials()).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(in.AuthenticatorSelection.criteria()),
		webauthn.WithConveyancePreference(protocol.ConveyancePreference(or(in.Attestation, "none"))))
	if err != nil {
		return ceremonyRequest{}, err
	}
	message, err := creationText(creation.Response)
	if err != nil {
		return ceremonyRequest{}, err
	}
	requestID := uuid.NewString()
	f.registrations.add(requestID, ceremony{user: a.ID, session: *session}, f.now())
	return ceremonyRequest{message: message, requestID: &requestID}, nil
}

// criteria returns the payload's criteria, with the platform's defaults.
func (in *selectionInput) criteria() protocol.AuthenticatorSelection {
	if in == nil {
		in = &selectionInput{}
	}
	criteria := protocol.AuthenticatorSelection{
		AuthenticatorAttachment: protocol.AuthenticatorAttachment(or(in.AuthenticatorAttachment, string(protocol.Platform))),
		UserVerification:        protocol.UserVerificationRequirement(or(in.UserVerification, "preferred")),
		RequireResidentKey:      protocol.ResidentKeyNotRequired(),
		ResidentKey:             protocol.ResidentKeyRequirementPreferred,
	}
	switch {
	case in.RequireResidentKey == nil:
	case *in.RequireResidentKey:
		criteria.RequireResidentKey = protocol.ResidentKeyRequired()
		criteria.ResidentKey = protocol.ResidentKeyRequirementRequired
	default:
		criteria.ResidentKey = protocol.ResidentKeyRequirementDiscouraged
	}
	return criteria
}

// verifyRegistration checks the response against its request: challenge, origin, RP ID,
// algorithm, key and user verification. It verifies an attestation statement if there is
// one; many passkey providers send none, even for "direct".
func (f *fido2Server) verifyRegistration(a account, in registrationInput) ([]registration, error) {
	response, err := parseCreation(*in.RegistrationResponse)
	if err != nil {
		return nil, malformed("registrationResponse", err)
	}
	session, ok := f.take(f.registrations, *in.RequestID, a)
	if !ok {
		return nil, wire.Conflict("Registration ceremony was not started")
	}
	if isPostQuantum(response) && len(postQuantum) == 0 {
		return nil, wire.Conflict("FIDO2: the algorithm of the key is unsupported")
	}
	if f.conditional.Load() {
		session.Mediation, session.UserVerification = protocol.MediationConditional, protocol.VerificationDiscouraged
	}
	credential, err := f.relyingParty.CreateCredential(a, session, response)
	if err == nil {
		err = usableKey(credential.PublicKey, session.CredParams)
	}
	if err != nil {
		return nil, wire.Conflict("FIDO2: the registration response could not be verified").Because(reason(err))
	}
	return []registration{{
		name:       passkeyName,
		protocol:   fido2,
		aaguid:     aaguid(credential.Authenticator.AAGUID),
		key:        fido2 + ":" + encode(credential.ID),
		credential: *credential,
	}}, nil
}

// passkeyName is the name of a new passkey.
const passkeyName = "Passkey"

// aaguid returns the AAGUID as text, or "" for the zero one, which keeps the model
// private.
func aaguid(b []byte) string {
	id, err := uuid.FromBytes(b)
	if err != nil || id == uuid.Nil {
		return ""
	}
	return id.String()
}

func malformed(field string, err error) error {
	return wire.Invalid(wire.Violation{Field: field, Message: "is not a FIDO2 response"}).Because(reason(err))
}

func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
