package identity

import "cmp"

// Paths are the templates of the operations' paths, relative to the base
// address, with the placeholders {user}, {requestID} and {registrationID}.
// Those that the specification does not show are settings, because a tenant may
// have others.
type Paths struct {
	Login                             string
	SessionStatus                     string
	User                              string
	GenerateFIDORegistrationRequest   string
	RegisterFIDODevice                string
	GenerateFIDOAuthenticationRequest string
	// FIDORegistrations lists what a user has registered; FIDORegistration is
	// one of them, to be renamed or removed.
	FIDORegistrations string
	FIDORegistration  string
	// RegisterUser asks for an activation password, OrchestrationCommands takes
	// the SDK's messages.
	RegisterUser          string
	OrchestrationCommands string
	ValidateTransaction   string
}

// DefaultPaths are those of the specification and of the identity facts and,
// where neither has one, those of the sandbox.
func DefaultPaths() Paths {
	return Paths{
		Login:                             "/users/{user}/login",
		SessionStatus:                     "/sessions/{requestID}",
		User:                              "/users/{user}",
		GenerateFIDORegistrationRequest:   "/users/{user}/generate-fido-registration-request",
		RegisterFIDODevice:                "/users/{user}/register-fido-device",
		GenerateFIDOAuthenticationRequest: "/users/{user}/generate-fido-authentication-request",
		FIDORegistrations:                 "/users/{user}/fido-registrations",
		FIDORegistration:                  "/users/{user}/fido-registrations/{registrationID}",
		RegisterUser:                      "/users/register",
		OrchestrationCommands:             "/orchestration-commands",
		ValidateTransaction:               "/users/{user}/transactions/validate",
	}
}

func (p Paths) orDefaults() Paths {
	d := DefaultPaths()
	return Paths{
		Login:                             cmp.Or(p.Login, d.Login),
		SessionStatus:                     cmp.Or(p.SessionStatus, d.SessionStatus),
		User:                              cmp.Or(p.User, d.User),
		GenerateFIDORegistrationRequest:   cmp.Or(p.GenerateFIDORegistrationRequest, d.GenerateFIDORegistrationRequest),
		RegisterFIDODevice:                cmp.Or(p.RegisterFIDODevice, d.RegisterFIDODevice),
		GenerateFIDOAuthenticationRequest: cmp.Or(p.GenerateFIDOAuthenticationRequest, d.GenerateFIDOAuthenticationRequest),
		FIDORegistrations:                 cmp.Or(p.FIDORegistrations, d.FIDORegistrations),
		FIDORegistration:                  cmp.Or(p.FIDORegistration, d.FIDORegistration),
		RegisterUser:                      cmp.Or(p.RegisterUser, d.RegisterUser),
		OrchestrationCommands:             cmp.Or(p.OrchestrationCommands, d.OrchestrationCommands),
		ValidateTransaction:               cmp.Or(p.ValidateTransaction, d.ValidateTransaction),
	}
}
