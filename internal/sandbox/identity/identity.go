// Package identity is the sandbox's identity API: FIDO2, UAF, passwords, pushes, transactions,
// activation. It answers, also with errors, as the specification (parts 4.3 and 7.2) and
// docs/platform.md describe the platform.
//
// It is a real FIDO2 server (go-webauthn) and a real UAF 1.1 server (package uaf): it
// accepts only signatures for its own challenge, the right origin or facet, and the right
// person. Devices' commands, which are secret between the platform and its SDK, use a
// small custom format. Package wire adds faults, journal and API key.
package identity

import (
	"net/http"
	"sync/atomic"
	"time"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// Options configure the identity platform, as in sandbox.Options, with the parts that it
// shares with the other services.
type Options struct {
	RPID      string
	RPOrigins []string
	UAFAppID  string
	UAFFacets []string
	Metadata  []byte
	People    *people.Directory // all accounts
	Now       func() time.Time  // the platform's clock
	Seed      []Seed            // authenticators of the beginning, checked
}

// Server is the identity platform. It is safe for concurrent use.
type Server struct {
	now      func() time.Time
	started  time.Time // since when all accounts exist, in UTC to the second
	accounts *accounts
	engines  map[string]engine
	uaf      *uafEngine // nil if UAF is not served
	pushes   *expiring[push]
	seed     []Seed
	// unknownStatus says that a session that does not exist has the status unknown.
	unknownStatus atomic.Bool
	// conditionalCreate has registrations accepted without the person's presence.
	conditionalCreate *atomic.Bool
}

// New returns the platform with the authenticators of the seed. It fails for an RPID that is not a
// host name, without an origin, for an appID without facets or the reverse, and for
// unreadable metadata.
func New(o Options) (*Server, error) {
	accounts := newAccounts(o.People)
	webauthnEngine, err := newFIDO2(o)
	if err != nil {
		return nil, err
	}
	uafEngine, err := newUAF(o, accounts.isRegistered)
	if err != nil {
		return nil, err
	}
	engines := map[string]engine{fido2: webauthnEngine}
	if uafEngine != nil {
		engines[uaf11] = uafEngine
	}
	s := &Server{
		now: o.Now, started: o.Now().UTC().Truncate(time.Second), accounts: accounts, engines: engines, uaf: uafEngine,
		pushes: newExpiring[push](pushKept), seed: o.Seed,
		conditionalCreate: &webauthnEngine.conditional,
	}
	s.plant()
	return s, nil
}

// Routes returns all operations of the identity platform.
func (s *Server) Routes() []wire.Route {
	const get, post = http.MethodGet, http.MethodPost
	const user, registrations = "/users/{user}", "/fido-registrations"
	const registration = registrations + "/{registrationID}"
	routes := []wire.Route{
		{Operation: "login", Method: post, Path: user + "/login", Call: fidoCall(s.login)},
		{Operation: "generateFidoRegistrationRequest", Method: post, Path: user + "/generate-fido-registration-request", Call: fidoCall(s.generateRegistration)},
		{Operation: "registerFidoDevice", Method: post, Path: user + "/register-fido-device", Call: fidoCall(s.register)},
		{Operation: "generateFidoAuthenticationRequest", Method: post, Path: user + "/generate-fido-authentication-request", Call: fidoCall(s.generateAuthentication)},
		{Operation: "validateTransaction", Method: post, Path: user + "/transactions/validate", Call: fidoCall(s.validateTransaction)},
		{Operation: "sessionStatus", Method: get, Path: "/sessions/{requestID}", Call: s.sessionStatus},
		{Operation: "queryUsers", Method: get, Path: "/users", Call: s.queryUsers},
		{Operation: "getUser", Method: get, Path: user, Call: s.user},
		{Operation: "updateUser", Method: http.MethodPatch, Path: user, Call: wire.JSON(s.updateUser)},
		{Operation: "unlockUser", Method: post, Path: user + "/unlock", Call: s.unlockUser},
		{Operation: "listFidoRegistrations", Method: get, Path: registrations, Call: s.registrations},
		{Operation: "renameFidoRegistration", Method: http.MethodPatch, Path: registration, Call: wire.JSON(s.rename)},
		{Operation: "deleteFidoRegistration", Method: http.MethodDelete, Path: registration, Call: s.remove},
		{Operation: "deregisterFidoUafKeys", Method: post, Path: user + "/deregister-fido-uaf-keys", Call: wire.NoNulls(wire.JSON(s.deregister))},
		{Operation: "registerUser", Method: post, Path: "/users/register", Call: wire.NoNulls(wire.JSON(s.registerUser))},
		{Operation: "checkActivationStatus", Method: post, Path: "/registrations/check-status", Call: wire.NoNulls(wire.JSON(s.checkActivation))},
		{Operation: "orchestrationCommands", Method: post, Path: "/orchestration-commands-v2", Call: wire.JSON(s.orchestrate), Release: release24R2},
	}
	for i := range routes {
		routes[i] = documented(routes[i])
	}
	return routes
}

// Management returns the management calls that answer a pushed sign-in or transaction
// without a device, and that change what is accepted.
func (s *Server) Management() []wire.Route {
	return []wire.Route{
		{Method: http.MethodPost, Path: "/_manage/push/{requestID}", Call: wire.JSON(s.decidePush)},
		{Method: http.MethodPut, Path: "/_manage/policy", Call: wire.JSON(s.setPolicy)},
	}
}

// policyInput changes what the tenant accepts; a member that is absent or null stays unchanged.
type policyInput struct {
	// ConditionalCreate has a passkey registered although its response says neither that the
	// person was present nor that they were verified.
	ConditionalCreate *bool `json:"conditionalCreate"`
}

func (s *Server) setPolicy(_ *http.Request, in policyInput) (any, error) {
	if in.ConditionalCreate != nil {
		s.conditionalCreate.Store(*in.ConditionalCreate)
	}
	return nil, nil
}

// Errors returns the form of the identity platform's errors.
func (s *Server) Errors() wire.Errors { return errorForm{} }

// AccountInput changes the tenant; a member that is absent or null stays unchanged.
type AccountInput struct {
	// UnknownStatus has GET /sessions of a request that does not exist answered with 200 and
	// the status unknown, as some releases do, instead of a 404.
	UnknownStatus *bool `json:"unknownStatus"`
}

// SetAccount changes the tenant.
func (s *Server) SetAccount(in AccountInput) {
	if in.UnknownStatus != nil {
		s.unknownStatus.Store(*in.UnknownStatus)
	}
}

// Reset goes back to the authenticators of the beginning, without devices and requests, and
// without changes of the tenant. It leaves people alone.
func (s *Server) Reset() {
	s.unknownStatus.Store(false)
	s.conditionalCreate.Store(false)
	for _, e := range s.engines {
		e.reset()
	}
	s.pushes.clear()
	s.accounts.reset()
	s.plant()
}
