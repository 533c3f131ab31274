package handlers

import (
	"countersign/internal/identity"
	"countersign/internal/uaf"
)

const (
	protocolFIDO2 = "FIDO2"
	protocolUAF11 = "UAF11"

	// forFIDO2 and forUAF11 are the sentences for a member that the chosen
	// protocol does not have.
	forFIDO2 = "field.only-fido2"
	forUAF11 = "field.only-uaf11"
)

// registrationRequestPayload reads the payload of
// generate-fido-registration-request by the rules of part 4.3 of the
// specification.
func registrationRequestPayload(body *object) (identity.RegistrationRequestInput, error) {
	var in identity.RegistrationRequestInput
	in.FIDOProtocol = body.required("fidoProtocol", protocolUAF11, protocolFIDO2)
	if in.FIDOProtocol == protocolUAF11 {
		body.refuse(forFIDO2, "displayName", "authenticatorSelection", "attestation")
		return in, body.done()
	}
	in.DisplayName, _ = body.text("displayName")
	in.Attestation, _ = body.text("attestation", "none", "indirect", "direct")
	if selection := body.object("authenticatorSelection"); selection != nil {
		in.AuthenticatorSelection = authenticatorSelection(selection)
	}
	return in, body.done()
}

func authenticatorSelection(selection *object) *identity.AuthenticatorSelection {
	out := &identity.AuthenticatorSelection{}
	out.AuthenticatorAttachment, _ = selection.text("authenticatorAttachment", "platform", "cross-platform")
	out.UserVerification, _ = selection.text("userVerification", "required", "preferred", "discouraged")
	out.RequireResidentKey = selection.boolean("requireResidentKey")
	selection.unknown()
	return out
}

// registerDevicePayload reads the payload of register-fido-device. The
// requestID may be left out: the session knows it.
func registerDevicePayload(body *object) (identity.RegisterDeviceInput, error) {
	var in identity.RegisterDeviceInput
	in.FIDOProtocol = body.required("fidoProtocol", protocolUAF11, protocolFIDO2)
	in.RegistrationResponse = body.required("registrationResponse")
	if in.FIDOProtocol == protocolUAF11 {
		body.refuse(forFIDO2, "requestID")
	} else {
		in.RequestID = body.nonEmpty("requestID")
	}
	return in, body.done()
}

// authenticationRequestPayload reads the payload of
// generate-fido-authentication-request (identity-facts section 2.1).
func authenticationRequestPayload(body *object) (identity.AuthenticationRequestInput, error) {
	var in identity.AuthenticationRequestInput
	in.FIDOProtocol = body.required("fidoProtocol", protocolUAF11, protocolFIDO2)
	if in.FIDOProtocol == protocolUAF11 {
		body.refuse(forFIDO2, "userVerification")
		in.AuthenticationMessage = transactionText(body)
	} else {
		body.refuse(forUAF11, "authenticationMessage")
		in.UserVerification, _ = body.text("userVerification", "required", "preferred", "discouraged")
	}
	return in, body.done()
}

// transactionText takes what an authenticator is to show, as UAF limits it.
func transactionText(body *object) string {
	text, ok := body.text("authenticationMessage")
	if _, err := uaf.NewTextTransaction(text); ok && err != nil {
		body.note("authenticationMessage", "field.transaction-text")
	}
	return text
}
