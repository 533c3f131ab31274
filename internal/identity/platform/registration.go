package platform

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/fault"
	"countersign/internal/uaf"
	"countersign/internal/upstream"
)

// RegistrationRequestInput is the payload of generate-fido-registration-request
// (specification, part 4.3). All but FIDOProtocol is for FIDO2 alone, and
// optional.
type RegistrationRequestInput struct {
	FIDOProtocol           string                  `json:"fidoProtocol"`
	DisplayName            string                  `json:"displayName,omitzero"`
	AuthenticatorSelection *AuthenticatorSelection `json:"authenticatorSelection,omitzero"`
	Attestation            string                  `json:"attestation,omitzero"`
}

// AuthenticatorSelection says which authenticators are accepted.
type AuthenticatorSelection struct {
	AuthenticatorAttachment string `json:"authenticatorAttachment,omitzero"`
	UserVerification        string `json:"userVerification,omitzero"`
	RequireResidentKey      *bool  `json:"requireResidentKey,omitzero"`
}

// RegistrationRequestOutput is the platform's response to it, and ours.
type RegistrationRequestOutput struct {
	// RegistrationRequest is the JSON text of the creation options (FIDO2) or
	// of the UAF message, as the platform sent it.
	RegistrationRequest string `json:"registrationRequest"`
	// RequestID is for FIDO2 alone.
	RequestID string `json:"requestID,omitzero"`
	// UAFStatusCode is null for FIDO2.
	UAFStatusCode *Number `json:"uafStatusCode"`
}

// GenerateFIDORegistrationRequest requests the message for user's authenticator to sign:
// account.unknown if the platform does not know user.
func (c *Client) GenerateFIDORegistrationRequest(ctx context.Context, user string, in RegistrationRequestInput) (RegistrationRequestOutput, error) {
	var out RegistrationRequestOutput
	if err := c.call(ctx, generateFIDORegistrationRequest, exchange{values: ofUser(user), body: in, out: &out}); err != nil {
		return RegistrationRequestOutput{}, err
	}
	switch {
	case out.RegistrationRequest == "":
		return RegistrationRequestOutput{}, lacks(generateFIDORegistrationRequest, "registrationRequest", out.UAFStatusCode)
	case out.RequestID == "" && in.FIDOProtocol == FIDO2:
		return RegistrationRequestOutput{}, lacks(generateFIDORegistrationRequest, "requestID", out.UAFStatusCode)
	}
	return out, checkRequestID(generateFIDORegistrationRequest, out.RequestID)
}

// RegisterDeviceInput is the payload of register-fido-device (specification, part
// 4.3). RequestID is for FIDO2 alone.
type RegisterDeviceInput struct {
	FIDOProtocol         string `json:"fidoProtocol"`
	RegistrationResponse string `json:"registrationResponse"`
	RequestID            string `json:"requestID,omitzero"`
	ChannelBinding
}

// RegisterDeviceOutput is the platform's response to it, and ours; the specification does
// not show further members.
type RegisterDeviceOutput struct {
	UAFStatusCode *Number `json:"uafStatusCode"`
}

// RegisterFIDODevice lets the platform verify and register the response of user's
// authenticator: ceremony.refused, with the UAF status code if there is one, if the
// platform refuses it; account.unknown if it does not know user.
func (c *Client) RegisterFIDODevice(ctx context.Context, user string, in RegisterDeviceInput) (RegisterDeviceOutput, error) {
	var out RegisterDeviceOutput
	if err := c.call(ctx, registerFIDODevice, exchange{values: ofUser(user), body: in, out: &out}); err != nil {
		return RegisterDeviceOutput{}, err
	}
	if refused(out.UAFStatusCode) {
		return RegisterDeviceOutput{}, refusedWith(registerFIDODevice, out.UAFStatusCode, errors.New(registerFIDODevice.Name))
	}
	return out, nil
}

// refused reports whether a UAF status code refuses; the HTTP status of such a response
// may be 200.
func refused(status *Number) bool {
	if status == nil {
		return false
	}
	code := uaf.Status(*status)
	return code != uaf.StatusOK && code != uaf.StatusAccepted
}

// refusedWith returns the error of a 200 that refuses: op.Refusal, with the row of the
// UAF status code, if that refuses, as Specific.
func refusedWith(op upstream.Operation, status *Number, cause error) *fault.Error {
	e := fault.Wrap(op.Refusal, fmt.Errorf("%w: UAF status %d", cause, status.int()))
	e.UAFStatusCode = status.int()
	if refused(status) {
		e.Specific, _ = fault.Translate(fault.Upstream{Family: fault.Identity, Scenarios: op.Scenarios, Refused: true, UAFStatusCode: status.int()})
		e.Untranslated = e.Specific == ""
	}
	return e
}
