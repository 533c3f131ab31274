package identity

import (
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/safetext"
	"countersign/internal/uaf"
)

const (
	// forFIDO2 and forUAF11 are the message ids for a member that only the other protocol
	// has.
	forFIDO2 = "field.only-fido2"
	forUAF11 = "field.only-uaf11"
)

// registrationRequestPayload reads the payload of generate-fido-registration-request by
// the rules of part 4.3 of the specification.
func registrationRequestPayload(body payload.Object) (platform.RegistrationRequestInput, error) {
	var in platform.RegistrationRequestInput
	in.FIDOProtocol = body.Required("fidoProtocol", platform.UAF11, platform.FIDO2)
	if in.FIDOProtocol == platform.UAF11 {
		body.Refuse(forFIDO2, "displayName", "authenticatorSelection", "attestation")
		return in, body.Done()
	}
	if in.DisplayName, _ = body.Text("displayName"); !safetext.IsLine(in.DisplayName) {
		body.Note("displayName", "field.controls")
	}
	in.Attestation, _ = body.Text("attestation", "none", "indirect", "direct")
	if selection, ok := body.Object("authenticatorSelection"); ok {
		in.AuthenticatorSelection = authenticatorSelection(selection)
	}
	return in, body.Done()
}

func authenticatorSelection(selection payload.Object) *platform.AuthenticatorSelection {
	out := &platform.AuthenticatorSelection{}
	out.AuthenticatorAttachment, _ = selection.Text("authenticatorAttachment", "platform", "cross-platform")
	out.UserVerification, _ = selection.Text("userVerification", "required", "preferred", "discouraged")
	out.RequireResidentKey = selection.Boolean("requireResidentKey")
	selection.Unknown()
	return out
}

// registerDevicePayload reads the payload of register-fido-device. The requestID may be
// omitted, since the session has it.
func registerDevicePayload(body payload.Object) (platform.RegisterDeviceInput, error) {
	var in platform.RegisterDeviceInput
	in.FIDOProtocol = body.Required("fidoProtocol", platform.UAF11, platform.FIDO2)
	in.RegistrationResponse = body.Required("registrationResponse")
	if in.FIDOProtocol == platform.UAF11 {
		body.Refuse(forFIDO2, "requestID")
	} else {
		in.RequestID = requestID(body)
	}
	in.ChannelBinding = channelBinding(body)
	return in, body.Done()
}

// authenticationRequestPayload reads the payload of
// generate-fido-authentication-request (docs/platform.md I4).
func authenticationRequestPayload(body payload.Object) (platform.AuthenticationRequestInput, error) {
	var in platform.AuthenticationRequestInput
	in.FIDOProtocol = body.Required("fidoProtocol", platform.UAF11, platform.FIDO2)
	if in.FIDOProtocol == platform.UAF11 {
		body.Refuse(forFIDO2, "userVerification")
		in.AuthenticationMessage = transactionText(body)
	} else {
		body.Refuse(forUAF11, "authenticationMessage")
		in.UserVerification, _ = body.Text("userVerification", "required", "preferred", "discouraged")
	}
	return in, body.Done()
}

// transactionText takes the text for an authenticator to show, within the limits of UAF.
func transactionText(body payload.Object) string {
	text, ok := body.Text("authenticationMessage")
	if _, err := uaf.NewTextTransaction(text); ok && err != nil {
		body.Note("authenticationMessage", "field.transaction-text")
	}
	return text
}
