package identity

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// LoginInput is the platform's payload of that name (identity facts 2.2).
type LoginInput struct {
	Credentials *Credentials `json:"credentials,omitzero"`
	// FIDOAuthentication asks for a FIDO request as the second step.
	FIDOAuthentication *FIDOAuthentication `json:"fidoAuthentication,omitzero"`
	// RequestID continues a FIDO2, challenge or secure-channel exchange.
	RequestID string `json:"requestID,omitzero"`
	// OrchestrationDelivery holds pushNotification, requestMessage or both.
	OrchestrationDelivery []string `json:"orchestrationDelivery,omitempty"`
	// ClientIP is the client's address as we saw it.
	ClientIP string `json:"clientIP,omitzero"`
	// CDDC is the browser's risk data, LoginMessage the text of a push, both
	// passed on as they are.
	CDDC            jsontext.Value `json:"cddc,omitzero"`
	LoginMessage    jsontext.Value `json:"loginMessage,omitzero"`
	RelationshipRef string         `json:"relationshipRef,omitzero"`
	SessionID       string         `json:"sessionID,omitzero"`
	ApplicationRef  string         `json:"applicationRef,omitzero"`
}

// Credentials is the one credential of a login, or none for a push.
type Credentials struct {
	PassKey           string          `json:"passKey,omitzero"`
	Authenticator     *OTPCredential  `json:"authenticator,omitzero"`
	FIDOAuthenticator *FIDOCredential `json:"fidoAuthenticator,omitzero"`
}

// OTPCredential is a one-time password.
type OTPCredential struct {
	OTP string `json:"OTP"`
}

// FIDOCredential is what an authenticator signed.
type FIDOCredential struct {
	// AuthenticationResponse is the JSON text of the credential (FIDO2) or of
	// the UAF message, as the client sent it.
	AuthenticationResponse string `json:"authenticationResponse"`
	// FIDOProtocol is for platforms that want it said.
	FIDOProtocol string `json:"fidoProtocol,omitzero"`
}

// FIDOAuthentication says which FIDO request is wanted.
type FIDOAuthentication struct {
	FIDOProtocol          string `json:"fidoProtocol"`
	UserVerification      string `json:"userVerification,omitzero"`
	AuthenticationMessage string `json:"authenticationMessage,omitzero"`
}

// LoginOutput is the platform's answer. SessionStatus is StatusAccepted or
// StatusPending; a pending one has a RequestID to poll SessionStatus with, or a
// FIDOAuthenticationRequest to answer, or both.
type LoginOutput struct {
	SessionStatus SessionStatus `json:"sessionStatus"`
	RequestID     string        `json:"requestID"`
	// RequestMessage is a hex command for the orchestration SDK.
	RequestMessage   string  `json:"requestMessage"`
	RiskResponseCode *Number `json:"riskResponseCode"`
	EventID          *Number `json:"eventId"`
	Challenge        string  `json:"challenge"`
	// FIDOAuthenticationRequest is a JSON text, as AuthenticationRequest.
	FIDOAuthenticationRequest string  `json:"fidoAuthenticationRequest"`
	UAFStatusCode             *Number `json:"uafStatusCode"`

	members map[string]jsontext.Value
}

// publicMembers are those of the answer that a client may see: the documented
// ones. Of any other we do not know what the platform puts there.
var publicMembers = []string{
	"requestID", "requestMessage", "riskResponseCode", "eventId", "challenge", "fidoAuthenticationRequest", "uafStatusCode",
}

// Public is the answer as a client may see it, member by member: what the
// platform sent, as it sent it, nothing that it did not send, and sessionStatus
// as we understood it.
func (o LoginOutput) Public() map[string]any {
	public := map[string]any{"sessionStatus": o.SessionStatus}
	for _, name := range publicMembers {
		if value, ok := o.members[name]; ok {
			public[name] = value
		}
	}
	return public
}

// loginPayload is LoginInput with what is the same in every login, whatever
// the client sent: the kind of input, and that the platform is not to wait for
// the person but to answer at once.
type loginPayload struct {
	ObjectType string `json:"objectType"`
	Timeout    int    `json:"timeout"`
	LoginInput
}

// Login has the platform judge a sign-in. Whatever is not accepted or pending
// is sign-in.refused: 400, 404 and 409 as well as a 200 that says refused,
// timeout, failed or unknown, or has a UAF status code that does. Neither
// password nor one-time password shows in an error, even where the platform
// repeats it. Specific says why.
func (c *Client) Login(ctx context.Context, user string, in LoginInput) (LoginOutput, error) {
	payload := loginPayload{ObjectType: "LoginInput", LoginInput: in}
	return c.decide(ctx, login, exchange{values: ofUser(user), body: payload, secrets: in.Credentials.secrets()})
}

// decide makes a call whose answer is a decision, now or pending; another is
// op.Refusal.
func (c *Client) decide(ctx context.Context, op upstream.Operation, x exchange) (LoginOutput, error) {
	var answer jsontext.Value
	x.out = &answer
	if err := c.call(ctx, op, x); err != nil {
		return LoginOutput{}, err
	}
	out, err := readLogin(op, answer)
	if err != nil {
		return LoginOutput{}, err
	}
	switch {
	case out.SessionStatus != StatusAccepted && out.SessionStatus != StatusPending, refused(out.UAFStatusCode):
		e := refusedWith(op, out.UAFStatusCode, fmt.Errorf("%s: session status %s", op.Name, out.SessionStatus))
		if e.Specific == "" {
			e.Specific = decisions[out.SessionStatus]
		}
		return LoginOutput{}, e
	case out.SessionStatus == StatusPending && out.RequestID == "" && out.FIDOAuthenticationRequest == "":
		return LoginOutput{}, lacks(op, "requestID", out.UAFStatusCode)
	}
	return out, nil
}

// decisions are the rows of what came of asking the person.
var decisions = map[SessionStatus]fault.Key{
	StatusRefused: fault.AuthenticationDeclined,
	StatusTimeout: fault.AuthenticationTimedOut,
}

// readLogin reads the answer twice: what it means to us, and what was sent.
func readLogin(op upstream.Operation, answer jsontext.Value) (LoginOutput, error) {
	if len(answer) == 0 {
		return LoginOutput{}, lacks(op, "sessionStatus", nil)
	}
	var out LoginOutput
	if err := json.Unmarshal(answer, &out); err != nil {
		return LoginOutput{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: decode the answer: %w", op.Name, err))
	}
	if out.SessionStatus == "" {
		return LoginOutput{}, lacks(op, "sessionStatus", out.UAFStatusCode)
	}
	if err := json.Unmarshal(answer, &out.members); err != nil {
		return LoginOutput{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: decode the answer: %w", op.Name, err))
	}
	return out, nil
}

func (c *Credentials) secrets() []string {
	if c == nil {
		return nil
	}
	all := []string{c.PassKey}
	if c.Authenticator != nil {
		all = append(all, c.Authenticator.OTP)
	}
	return all
}
