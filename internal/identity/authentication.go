package identity

import (
	"context"

	"countersign/internal/fault"
)

// AuthenticationRequestInput is the payload of
// generate-fido-authentication-request (docs/platform.md I4). UserVerification is
// for FIDO2 alone; AuthenticationMessage is for UAF alone and makes the request that
// of a transaction.
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
	// RequestID is for FIDO2 alone.
	RequestID     string  `json:"requestID,omitzero"`
	UAFStatusCode *Number `json:"uafStatusCode"`
}

// GenerateFIDOAuthenticationRequest asks for what user's authenticator shall
// sign: platform.refused where the platform has no request for user, whatever the
// reason. With an AuthenticationMessage it begins a transaction of a signed-in
// person: transaction.refused or account.unknown then.
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
	return out, nil
}

type sessionStatusOutput struct {
	SessionStatus SessionStatus `json:"sessionStatus"`
}

// SessionStatus asks how the sign-in named requestID stands (docs/platform.md I6): sign-in.unknown where the platform does not know it.
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
