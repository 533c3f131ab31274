package platform

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// AuthenticationRequestInput is the payload of generate-fido-authentication-request
// (docs/platform.md I4). UserVerification is for FIDO2 alone; AuthenticationMessage is
// for UAF alone and makes the request one for a transaction.
type AuthenticationRequestInput struct {
	FIDOProtocol          string `json:"fidoProtocol"`
	UserVerification      string `json:"userVerification,omitzero"`
	AuthenticationMessage string `json:"authenticationMessage,omitzero"`
}

// AuthenticationRequestOutput is the platform's response to it, and ours.
type AuthenticationRequestOutput struct {
	// AuthenticationRequest is the JSON text of the request options (FIDO2) or
	// of the UAF message, as the platform sent it.
	AuthenticationRequest string `json:"authenticationRequest"`
	// RequestID may be missing for UAF.
	RequestID     string  `json:"requestID,omitzero"`
	UAFStatusCode *Number `json:"uafStatusCode"`
}

// GenerateFIDOAuthenticationRequest requests the message for user's authenticator to
// sign: platform.refused if the platform has none for user, for any reason. With an
// AuthenticationMessage it begins a transaction of a signed-in person, and then fails
// with transaction.refused or account.unknown.
func (c *Client) GenerateFIDOAuthenticationRequest(ctx context.Context, user string, in AuthenticationRequestInput) (AuthenticationRequestOutput, error) {
	op := generateFIDOAuthenticationRequest
	if in.AuthenticationMessage != "" {
		op.Refusal, op.Refusals, op.Scenarios = validateTransaction.Refusal, validateTransaction.Refusals, []fault.Scenario{fault.Transaction}
	}
	var out AuthenticationRequestOutput
	if err := c.call(ctx, op, exchange{values: ofUser(user), body: in, out: &out}); err != nil {
		return AuthenticationRequestOutput{}, err
	}
	switch {
	case out.AuthenticationRequest == "":
		return AuthenticationRequestOutput{}, lacks(op, "authenticationRequest", out.UAFStatusCode)
	case out.RequestID == "" && in.FIDOProtocol == FIDO2:
		return AuthenticationRequestOutput{}, lacks(op, "requestID", out.UAFStatusCode)
	}
	return out, checkRequestID(op, out.RequestID)
}

// checkRequestID returns platform.failed for an id that is none.
func checkRequestID(op upstream.Operation, id string) error {
	if id != "" && !IsRequestID(id) {
		return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: %.300q is not a requestID", op.Name, id))
	}
	return nil
}

// IsRequestID reports whether text can be the id of a request: 1 to 255 visible characters.
// The documents have a UUID, samples one with a word before it (docs/platform.md I4).
func IsRequestID(text string) bool {
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= 255 && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
}

type sessionStatusOutput struct {
	SessionStatus SessionStatus `json:"sessionStatus"`
}

// SessionStatus returns the state of the sign-in named requestID (docs/platform.md I6):
// sign-in.unknown if the platform does not know it.
func (c *Client) SessionStatus(ctx context.Context, requestID string) (SessionStatus, error) {
	var out sessionStatusOutput
	if err := c.call(ctx, sessionStatus, exchange{values: map[string]string{"requestID": requestID}, out: &out}); err != nil {
		return "", err
	}
	if out.SessionStatus == "" {
		return "", lacks(sessionStatus, "sessionStatus", nil)
	}
	return out.SessionStatus, nil
}
