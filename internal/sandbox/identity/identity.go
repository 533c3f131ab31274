// Package identity is the sandbox's identity platform: people, their FIDO
// registrations, sign-in with password, authenticator or push, transactions,
// the activation of devices, and the sessions of what was pushed. It answers as
// the specification (parts 4.3 and 7.2) and the public facts say that the
// platform does, errors included.
//
// It is a real FIDO2 server (go-webauthn) and a real UAF 1.1 server (package
// uaf): nothing is accepted that is not signed for the challenge, origin or
// facet, and person it was asked for. What devices say to it, which is secret
// between the platform and its SDK, is a small language of its own. It keeps
// everything in memory. It does not know of faults, journals or API keys; those
// are put around its routes.
package identity

import (
	"net/http"
	"time"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// Options are whom the identity platform serves and the clock it goes by.
type Options struct {
	// People are who exists.
	People *people.Directory
	// RPID is the relying party's id, a host name such as localhost.
	RPID string
	// RPOrigins are all origins a FIDO2 response may carry: web origins as well
	// as android:apk-key-hash:… and the like.
	RPOrigins []string
	// UAFAppID is the appID of UAF and UAFFacets are who may use it; without
	// both, UAF is not served.
	UAFAppID  string
	UAFFacets []string
	// Metadata is a JSON array of the metadata statements of the UAF
	// authenticators that are trusted beside DemoAAID; may be empty.
	Metadata []byte
	// Now is the platform's clock.
	Now func() time.Time
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
	return []wire.Route{
		{Operation: "login", Method: http.MethodPost, Path: "/users/{user}/login", Call: s.login},
		{Operation: "generateFidoRegistrationRequest", Method: http.MethodPost, Path: "/users/{user}/generate-fido-registration-request", Call: s.generateRegistration},
		{Operation: "registerFidoDevice", Method: http.MethodPost, Path: "/users/{user}/register-fido-device", Call: s.register},
		{Operation: "generateFidoAuthenticationRequest", Method: http.MethodPost, Path: "/users/{user}/generate-fido-authentication-request", Call: s.generateAuthentication},
		{Operation: "validateTransaction", Method: http.MethodPost, Path: "/users/{user}/transactions/validate", Call: s.validateTransaction},
		{Operation: "sessionStatus", Method: http.MethodGet, Path: "/sessions/{requestID}", Call: s.sessionStatus},
		{Operation: "getUser", Method: http.MethodGet, Path: "/users/{user}", Call: s.user},
		{Operation: "listFidoRegistrations", Method: http.MethodGet, Path: "/users/{user}/fido-registrations", Call: s.registrations},
		{Operation: "renameFidoRegistration", Method: http.MethodPatch, Path: "/users/{user}/fido-registrations/{registrationID}", Call: s.rename},
		{Operation: "deleteFidoRegistration", Method: http.MethodDelete, Path: "/users/{user}/fido-registrations/{registrationID}", Call: s.deregister},
		{Operation: "registerUser", Method: http.MethodPost, Path: "/users/register", Call: s.registerUser},
		{Operation: "orchestrationCommands", Method: http.MethodPost, Path: "/orchestration-commands", Call: s.orchestrate},
		{Operation: "orchestrationCommandsV2", Method: http.MethodPost, Path: "/orchestration-commands-v2", Call: s.orchestrate, Release: release24R2},
	}
}

// Steering is how a pushed sign-in or transaction is answered without a device.
func (s *Server) Steering() []wire.Route {
	return []wire.Route{{Method: http.MethodPost, Path: "/_manage/push/{requestID}", Call: s.decidePush}}
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
