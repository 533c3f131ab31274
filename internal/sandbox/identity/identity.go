// Package identity is the sandbox's identity platform: people, their FIDO
// registrations, sign-in with password, authenticator or push, transactions,
// the activation of devices, and the sessions of what was pushed. It answers as
// the specification (parts 4.3 and 7.2) and the public facts say that the
// platform does, errors included.
//
// It is a real FIDO2 server (go-webauthn) and a real UAF 1.1 server (package
// uaf): it accepts what is signed for the challenge, origin or facet, and person
// that it asked. The commands of devices, which are secret between the platform
// and its SDK, are a small language of its own. Faults, journal and API key are
// package wire's.
package identity

import (
	"net/http"
	"time"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// Options are whom the identity platform serves, as sandbox.Options says, and what
// it shares with the other services.
type Options struct {
	RPID      string
	RPOrigins []string
	UAFAppID  string
	UAFFacets []string
	Metadata  []byte
	People    *people.Directory // who exists
	Now       func() time.Time  // the platform's clock
}

// Server is the identity platform. It is safe for concurrent use.
type Server struct {
	now      func() time.Time
	accounts *accounts
	engines  map[string]engine
	pushes   *expiring[push]
}

// New is the platform at its start, without any registration. It fails
// on an RPID that is no host name, without an origin, on an appID without facets
// or the reverse, and on metadata that cannot be read.
func New(o Options) (*Server, error) {
	accounts := newAccounts(o.People)
	webauthnEngine, err := newFIDO2(o)
	if err != nil {
		return nil, err
	}
	uafEngine, err := newUAF(o, accounts.taken)
	if err != nil {
		return nil, err
	}
	engines := map[string]engine{fido2: webauthnEngine}
	if uafEngine != nil {
		engines[uaf11] = uafEngine
	}
	return &Server{now: o.Now, accounts: accounts, engines: engines, pushes: newExpiring[push](pushKept)}, nil
}

// Routes is everything the identity platform answers.
func (s *Server) Routes() []wire.Route {
	const get, post = http.MethodGet, http.MethodPost
	const user, registration = "/users/{user}", "/users/{user}/fido-registrations/{registrationID}"
	return []wire.Route{
		{Operation: "login", Method: post, Path: user + "/login", Call: fidoCall(s.login)},
		{Operation: "generateFidoRegistrationRequest", Method: post, Path: user + "/generate-fido-registration-request", Call: fidoCall(s.generateRegistration)},
		{Operation: "registerFidoDevice", Method: post, Path: user + "/register-fido-device", Call: fidoCall(s.register)},
		{Operation: "generateFidoAuthenticationRequest", Method: post, Path: user + "/generate-fido-authentication-request", Call: fidoCall(s.generateAuthentication)},
		{Operation: "validateTransaction", Method: post, Path: user + "/transactions/validate", Call: fidoCall(s.validateTransaction)},
		{Operation: "sessionStatus", Method: get, Path: "/sessions/{requestID}", Call: s.sessionStatus},
		{Operation: "getUser", Method: get, Path: user, Call: s.user},
		{Operation: "listFidoRegistrations", Method: get, Path: user + "/fido-registrations", Call: s.registrations},
		{Operation: "renameFidoRegistration", Method: http.MethodPatch, Path: registration, Call: wire.JSON(s.rename)},
		{Operation: "deleteFidoRegistration", Method: http.MethodDelete, Path: registration, Call: s.deregister},
		{Operation: "registerUser", Method: post, Path: "/users/register", Call: wire.JSON(s.registerUser)},
		{Operation: "orchestrationCommands", Method: post, Path: "/orchestration-commands", Call: wire.JSON(s.orchestrate)},
		{Operation: "orchestrationCommandsV2", Method: post, Path: "/orchestration-commands-v2", Call: wire.JSON(s.orchestrate), Release: release24R2},
	}
}

// Steering is how a pushed sign-in or transaction is answered without a device.
func (s *Server) Steering() []wire.Route {
	return []wire.Route{{Method: http.MethodPost, Path: "/_manage/push/{requestID}", Call: wire.JSON(s.decidePush)}}
}

// Errors is the form of the identity platform's errors.
func (s *Server) Errors() wire.Errors { return errorForm{} }

// Reset forgets authenticators, devices and requests. It leaves people alone.
func (s *Server) Reset() {
	for _, e := range s.engines {
		e.reset()
	}
	s.pushes.clear()
	s.accounts.reset()
}
