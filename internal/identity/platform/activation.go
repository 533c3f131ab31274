package platform

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// RegisterUserInput is the platform's RegisterUserInputEx (docs/platform.md I9):
// the request for an activation password.
type RegisterUserInput struct {
	UserID         string         `json:"userID"`
	Domain         string         `json:"domain,omitzero"`
	StaticPassword string         `json:"staticPassword,omitzero"`
	ActivationType string         `json:"activationType,omitzero"`
	DigipassType   string         `json:"digipassType,omitzero"`
	EmailAddress   string         `json:"emailAddress,omitzero"`
	MobilePhone    string         `json:"mobilePhoneNumber,omitzero"`
	ClientIP       Address        `json:"clientIP,omitzero"`
	CDDC           jsontext.Value `json:"cddc,omitzero"`
}

// RegisterUserOutput is the platform's response, and ours.
type RegisterUserOutput struct {
	ActivationPassword string `json:"activationPassword,omitzero"`
	SerialNumber       string `json:"serialNumber,omitzero"`
	RegistrationID     string `json:"registrationID,omitzero"`
	// SupportedFIDOProtocols are there where no device is to be activated.
	SupportedFIDOProtocols []string `json:"supportedFIDOProtocols,omitempty"`
	RiskResponseCode       *Number  `json:"riskResponseCode,omitzero"`
}

// onlineActivation is the activationType with an activation password, and the default.
const onlineActivation = "onlineMDL"

type registerUserPayload struct {
	ObjectType string `json:"objectType"`
	RegisterUserInput
}

// RegisterUser requests an activation password: activation.refused if the platform gives
// none; Specific says why. No error shows the static password.
func (c *Client) RegisterUser(ctx context.Context, in RegisterUserInput) (RegisterUserOutput, error) {
	var out RegisterUserOutput
	payload := registerUserPayload{ObjectType: "RegisterUserInputEx", RegisterUserInput: in}
	if err := c.call(ctx, registerUser, exchange{body: payload, out: &out, secrets: []string{in.StaticPassword}}); err != nil {
		return RegisterUserOutput{}, err
	}
	if out.ActivationPassword == "" && (in.ActivationType == "" || in.ActivationType == onlineActivation) {
		return RegisterUserOutput{}, lacks(registerUser, "activationPassword", nil)
	}
	return out, nil
}

// ActivationStatus is how the activation of a user's device stands (docs/platform.md I9).
type ActivationStatus string

// The statuses. Unknown says that nothing is under way, and Timeout that the platform did not
// hear of the device in time.
const (
	ActivationUnknown   ActivationStatus = "unknown"
	ActivationPending   ActivationStatus = "pending"
	ActivationActivated ActivationStatus = "activated"
	ActivationTimeout   ActivationStatus = "timeout"
)

// UnmarshalText reads a status in any case; any other word is an error.
func (s *ActivationStatus) UnmarshalText(text []byte) error {
	*s = ActivationStatus(strings.ToLower(string(text)))
	if !slices.Contains([]ActivationStatus{ActivationUnknown, ActivationPending, ActivationActivated, ActivationTimeout}, *s) {
		return fmt.Errorf("%.40q is not an activation status", text)
	}
	return nil
}

// checkActivationInput asks for an answer at once.
type checkActivationInput struct {
	Login          string `json:"login"`
	Domain         string `json:"domain"`
	TimeoutSeconds int    `json:"timeoutSeconds"`
}

// ActivationStatus returns how the last activation of a device of user stands.
func (c *Client) ActivationStatus(ctx context.Context, user string) (ActivationStatus, error) {
	var in checkActivationInput
	var out struct {
		ActivationStatus ActivationStatus `json:"activationStatus"`
	}
	in.Login, in.Domain, _ = strings.Cut(user, "@")
	if err := c.call(ctx, checkActivationStatus, exchange{body: in, out: &out}); err != nil {
		return "", err
	}
	if out.ActivationStatus == "" {
		return "", lacks(checkActivationStatus, "activationStatus", nil)
	}
	return out.ActivationStatus, nil
}

// OrchestrationCommand is a message of the orchestration SDK for the platform: hex, opaque to
// us.
type OrchestrationCommand struct {
	Command string `json:"command"`
}

// OrchestrationCommands passes on a command of the SDK, and returns the answer whole, with
// all its members: activation.refused if the platform refuses it, with the error's own command
// if there is one.
func (c *Client) OrchestrationCommands(ctx context.Context, in OrchestrationCommand) (jsontext.Value, error) {
	var out jsontext.Value
	if err := c.call(ctx, orchestrationCommands, exchange{body: in, out: &out}); err != nil {
		return nil, err
	}
	if textOf(payload.Members(out)["command"]) == "" {
		return nil, lacks(orchestrationCommands, "command", nil)
	}
	return out, nil
}
