package conformance

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"countersign/internal/config"
	"countersign/internal/identity/platform"
	"countersign/internal/upstream"
)

// pathProbe is a call that changes nothing, and the other possible paths of its
// operation.
type pathProbe struct {
	operation string
	call      func(context.Context, *platform.Client) error
	others    []string
}

// identityPaths tries whether each operation's path answers. If not, it tries the other
// known paths, and each below /v1.
func identityPaths(t *T, c contract) {
	defaults := map[string]string{}
	for _, path := range platform.Paths() {
		defaults[path.Operation] = path.Default
	}
	for _, probe := range c.pathProbes() {
		err := probe.call(t.Context(), c.client)
		if !nowhere(err) {
			if !probe.answered(err) {
				t.Errorf("%s: %v", probe.operation, err)
			}
			continue
		}
		t.Errorf("%s: %v", probe.operation, err)
		for _, other := range append([]string{"/v1" + defaults[probe.operation]}, probe.others...) {
			if !nowhere(probe.call(t.Context(), c.at(config.Paths{probe.operation: other}))) {
				t.needsPath(probe.operation, other, "something answers there, and nothing at the path that is set")
				break
			}
		}
	}
}

// answered reports whether the operation worked or refused as a working one does.
func (p pathProbe) answered(err error) bool {
	said, refused := errors.AsType[*upstream.Error](err)
	if !refused {
		return err == nil
	}
	switch said.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict:
		return true
	case http.StatusInternalServerError: // so says the orchestration service of a device's mistake
		return p.operation == "orchestrationCommands" && said.Message != http.StatusText(said.Status)
	}
	return false
}

// nowhere reports whether err says that nothing is at the path: an operation that exists
// would name what it does not find.
func nowhere(err error) bool {
	said, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		return false
	}
	switch said.Status {
	case http.StatusNotFound:
		message := cmp.Or(said.Message, said.Code)
		return message == "" || strings.EqualFold(message, http.StatusText(http.StatusNotFound))
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// pathProbes returns the probes of the identity API's operations.
func (c contract) pathProbes() []pathProbe { return append(c.signInProbes(), c.accountProbes()...) }

func (c contract) signInProbes() []pathProbe {
	return []pathProbe{
		{"login", func(ctx context.Context, at *platform.Client) error {
			return failure(at.Login(ctx, c.User, byPassword(c.Password)))
		}, nil},
		{"sessionStatus", func(ctx context.Context, at *platform.Client) error { return failure(at.SessionStatus(ctx, unknownID)) }, nil},
		{"getUser", func(ctx context.Context, at *platform.Client) error { return failure(at.User(ctx, c.User)) }, nil},
		{"generateFidoRegistrationRequest", func(ctx context.Context, at *platform.Client) error {
			return failure(at.GenerateFIDORegistrationRequest(ctx, c.User, platform.RegistrationRequestInput{FIDOProtocol: platform.FIDO2}))
		}, nil},
		{"registerFidoDevice", func(ctx context.Context, at *platform.Client) error {
			return failure(at.RegisterFIDODevice(ctx, c.User, platform.RegisterDeviceInput{
				FIDOProtocol: platform.FIDO2, RegistrationResponse: "{}", RequestID: unknownID,
			}))
		}, nil},
		{"generateFidoAuthenticationRequest", func(ctx context.Context, at *platform.Client) error {
			return failure(at.GenerateFIDOAuthenticationRequest(ctx, c.User, byPasskey))
		}, nil},
	}
}

// ofOneUser are the paths of one registration besides the default.
var ofOneUser = []string{"/users/{user}/fido-registrations/{registrationID}", "/users/{user}/fido-authenticators/{registrationID}"}

func (c contract) accountProbes() []pathProbe {
	return []pathProbe{
		{"listFidoRegistrations", func(ctx context.Context, at *platform.Client) error {
			return failure(at.Authenticators(ctx, c.User))
		}, []string{"/users/{user}/fido-registrations", "/users/{user}/fido-authenticators"}},
		{"renameFidoRegistration", func(ctx context.Context, at *platform.Client) error {
			return at.RenameAuthenticator(ctx, platform.Unlisted(c.User, unknownID), "Conformance")
		}, ofOneUser},
		{"deleteFidoRegistration", func(ctx context.Context, at *platform.Client) error {
			return failure(at.RemoveAuthenticator(ctx, platform.Unlisted(c.User, unknownID)))
		}, ofOneUser},
		{"registerUser", func(ctx context.Context, at *platform.Client) error {
			name, domain, _ := strings.Cut(c.Unknown, "@")
			return failure(at.RegisterUser(ctx, platform.RegisterUserInput{UserID: name, Domain: domain, StaticPassword: c.Password}))
		}, []string{"/userregister/v1/users/register"}},
		{"queryUsers", func(ctx context.Context, at *platform.Client) error {
			return failure(at.FindUsers(ctx, platform.Search{UserID: c.User, Limit: 1}))
		}, nil},
		{"updateUser", func(ctx context.Context, at *platform.Client) error { return at.Enable(ctx, c.Unknown) }, nil},
		{"unlockUser", func(ctx context.Context, at *platform.Client) error { return at.Unlock(ctx, c.Unknown) }, nil},
		{"checkActivationStatus", func(ctx context.Context, at *platform.Client) error {
			return failure(at.ActivationStatus(ctx, c.Unknown))
		}, nil},
		{"orchestrationCommands", func(ctx context.Context, at *platform.Client) error {
			return failure(at.OrchestrationCommands(ctx, platform.OrchestrationCommand{Command: hexOf(activation)}))
		}, []string{"/orchestration-commands"}},
		{"validateTransaction", func(ctx context.Context, at *platform.Client) error {
			return failure(at.ValidateTransaction(ctx, c.User, platform.TransactionInput{Data: platform.TransactionData{
				FIDO: &platform.FIDOSignature{AuthenticationResponse: "[]", RequestID: unknownID},
			}}))
		}, nil},
	}
}

func hexOf(text string) string { return hex.EncodeToString([]byte(text)) }
