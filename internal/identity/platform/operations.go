package platform

import (
	"net/http"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// The operations of the API. The paths come from part 4.3 of the specification and
// docs/platform.md or, if neither has one, from the sandbox.
var (
	// login may send a push, which is a remote authentication.
	login = upstream.Operation{
		Name: "login", Method: http.MethodPost, Path: "/users/{user}/login",
		Refusal: fault.SignInRefused, Refusals: refusedAs(fault.SignInRefused),
		Scenarios: []fault.Scenario{fault.Login, fault.RemoteAuthentication},
	}
	sessionStatus = upstream.Operation{
		Name: "sessionStatus", Method: http.MethodGet, Path: "/sessions/{requestID}", Idempotent: true,
		Refusal:   fault.PlatformRefused,
		Refusals:  map[int]fault.Key{http.StatusBadRequest: fault.SignInUnknown, http.StatusNotFound: fault.SignInUnknown},
		Scenarios: []fault.Scenario{fault.RemoteAuthentication, fault.RemoteTransaction},
	}
	getUser = upstream.Operation{
		Name: "getUser", Method: http.MethodGet, Path: "/users/{user}", Idempotent: true,
		Refusal: fault.PlatformRefused, Refusals: noUser, Scenarios: ofAccount,
	}
	queryUsers = upstream.Operation{
		Name: "queryUsers", Method: http.MethodGet, Path: "/users", Idempotent: true,
		Refusal: fault.PlatformRefused, Scenarios: ofAccount,
	}
	updateUser = upstream.Operation{
		Name: "updateUser", Method: http.MethodPatch, Path: "/users/{user}", Idempotent: true,
		Refusal: fault.PlatformRefused, Refusals: noUser, Scenarios: ofAccount,
	}
	// unlockUser is not repeated, because a repetition of a successful one would be refused.
	unlockUser = upstream.Operation{
		Name: "unlockUser", Method: http.MethodPost, Path: "/users/{user}/unlock", Refusal: fault.PlatformRefused, Scenarios: ofAccount,
		Refusals: map[int]fault.Key{http.StatusNotFound: fault.AccountUnknown, http.StatusConflict: fault.AccountNotLocked},
	}
	generateFIDORegistrationRequest = upstream.Operation{
		Name: "generateFidoRegistrationRequest", Method: http.MethodPost, Path: "/users/{user}/generate-fido-registration-request",
		Refusal: fault.PlatformRefused, Refusals: noUser, Scenarios: ofAccount,
	}
	registerFIDODevice = upstream.Operation{
		Name: "registerFidoDevice", Method: http.MethodPost, Path: "/users/{user}/register-fido-device",
		Refusal: fault.CeremonyRefused, Refusals: refusedAsOrNoUser(fault.CeremonyRefused), Scenarios: ofAccount,
	}
	// generateFIDOAuthenticationRequest does not refuse sign-ins, since nobody has tried
	// to sign in yet.
	generateFIDOAuthenticationRequest = upstream.Operation{
		Name: "generateFidoAuthenticationRequest", Method: http.MethodPost, Path: "/users/{user}/generate-fido-authentication-request",
		Refusal: fault.PlatformRefused, Scenarios: []fault.Scenario{fault.Authentication},
	}
	validateTransaction = upstream.Operation{
		Name: "validateTransaction", Method: http.MethodPost, Path: "/users/{user}/transactions/validate",
		Refusal: fault.TransactionRefused, Refusals: refusedAsOrNoUser(fault.TransactionRefused),
		Scenarios: []fault.Scenario{fault.Transaction, fault.RemoteTransaction},
	}
	listFIDORegistrations = upstream.Operation{
		Name: "listFidoRegistrations", Method: http.MethodGet, Path: "/fido-registrations?userID={userID}&domain={domain}", Idempotent: true,
		Optional: []string{"user", "userID", "domain", "type"}, Naming: naming, Query: true,
		Refusal: fault.PlatformRefused, Refusals: noUser, Scenarios: ofAccount,
	}
	renameFIDORegistration = upstream.Operation{
		Name: "renameFidoRegistration", Method: http.MethodPatch, Path: registrationPath, Optional: ofRegistration, Idempotent: true,
		Refusal: fault.PlatformRefused, Refusals: noAuthenticator, Scenarios: ofAccount,
	}
	// deleteFIDORegistration is not repeated, because a repetition of a successful one
	// would find nothing.
	deleteFIDORegistration = upstream.Operation{
		Name: "deleteFidoRegistration", Method: http.MethodDelete, Path: registrationPath, Optional: ofRegistration,
		Refusal: fault.PlatformRefused, Refusals: noAuthenticator, Scenarios: ofAccount,
	}
	// deregisterFIDOUAFKeys makes the message by which an authenticator deletes a key.
	deregisterFIDOUAFKeys = upstream.Operation{
		Name: "deregisterFidoUafKeys", Method: http.MethodPost, Path: "/users/{user}/deregister-fido-uaf-keys",
		Refusal: fault.PlatformRefused, Refusals: noAuthenticator, Scenarios: ofAccount,
	}
	registerUser = upstream.Operation{
		Name: "registerUser", Method: http.MethodPost, Path: "/users/register",
		Refusal: fault.ActivationRefused, Refusals: refusedAs(fault.ActivationRefused), Scenarios: []fault.Scenario{fault.OnlineActivation},
	}
	// checkActivationStatus changes nothing.
	checkActivationStatus = upstream.Operation{
		Name: "checkActivationStatus", Method: http.MethodPost, Path: "/registrations/check-status", Idempotent: true,
		Refusal: fault.PlatformRefused, Refusals: noUser, Scenarios: []fault.Scenario{fault.OnlineActivation},
	}
	orchestrationCommands = upstream.Operation{
		Name: "orchestrationCommands", Method: http.MethodPost, Path: "/orchestration-commands-v2",
		Refusal: fault.ActivationRefused, Refusals: refusedAs(fault.ActivationRefused), Scenarios: []fault.Scenario{fault.OnlineActivation},
	}
)

var operations = []upstream.Operation{
	login, sessionStatus, getUser, queryUsers, updateUser, unlockUser, generateFIDORegistrationRequest, registerFIDODevice, generateFIDOAuthenticationRequest,
	listFIDORegistrations, renameFIDORegistration, deleteFIDORegistration, deregisterFIDOUAFKeys,
	registerUser, checkActivationStatus, orchestrationCommands, validateTransaction,
}

// Paths returns the operations' own paths, which settings may replace.
func Paths() []config.Path { return upstream.Replaceable(operations) }

// registrationPath names nobody: before it is used, the registration is found in
// the list of its user.
const registrationPath = "/fido-registrations/{registrationID}"

var (
	// naming are the placeholders that say whose registrations are meant.
	naming         = []string{"user", "userID"}
	ofRegistration = []string{"user", "userID", "domain"}
)

var (
	// ofAccount is the scenario in which account states occur besides a sign-in.
	ofAccount       = []fault.Scenario{fault.Authentication}
	noUser          = map[int]fault.Key{http.StatusNotFound: fault.AccountUnknown}
	noAuthenticator = map[int]fault.Key{http.StatusNotFound: fault.AuthenticatorUnknown}
)

// refusedAs uses one row for all refusals (docs/platform.md I2), so that nobody can
// tell an account that does not exist from a wrong password.
func refusedAs(key fault.Key) map[int]fault.Key {
	return map[int]fault.Key{http.StatusBadRequest: key, http.StatusNotFound: key, http.StatusConflict: key}
}

func refusedAsOrNoUser(key fault.Key) map[int]fault.Key {
	return map[int]fault.Key{http.StatusBadRequest: key, http.StatusNotFound: fault.AccountUnknown, http.StatusConflict: key}
}
