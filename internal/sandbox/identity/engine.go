package identity

import (
	"net/http"

	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

// The values of fidoProtocol.
const (
	fido2 = "FIDO2"
	uaf11 = "UAF11"
)

// engine is the FIDO server of one protocol. It makes requests, keeps the data needed to
// recognize the responses, and judges these; people and their registrations belong to the
// accounts.
type engine interface {
	generateRegistration(a account, in registrationRequestInput) (ceremonyRequest, error)
	// verifyRegistration returns the registrations that the engine has verified, at least
	// one; the caller sets their ids, names and times.
	verifyRegistration(a account, in registrationInput) ([]registration, error)
	generateAuthentication(a account, in authenticationRequestInput) (ceremonyRequest, error)
	verifyAuthentication(a account, in assertionInput) ([]assertion, error)
	// stale returns the refusal of a verified response whose registration has since been
	// removed or has signed something later.
	stale(cause error) error
	// reset forgets every ceremony under way.
	reset()
}

// ceremonyRequest is a request for the person's authenticator, as a string.
type ceremonyRequest struct {
	message   string
	requestID *string // nil for a registration by UAF
}

// assertionInput is an authenticator's response, with the name of its member in the
// payload.
type assertionInput struct {
	field     string
	requestID string // of UAF it may be ""
	response  string
	// transaction says that a transaction is to be confirmed rather than a sign-in made:
	// neither finishes the other.
	transaction bool
}

// assertion is a verified response. commit updates its registration; it runs while the
// accounts are locked, and refuses a response that a simultaneous sign-in has made stale.
type assertion struct {
	registrationID string
	commit         func(*registration) error
}

func (s *Server) engine(protocol string) (engine, error) {
	e, ok := s.engines[protocol]
	if !ok {
		return nil, wire.Refuse(http.StatusBadRequest, "fidoProtocol "+protocol+" is not served: the sandbox has no appID and facets")
	}
	return e, nil
}

// person returns the person in the path.
func (s *Server) person(r *http.Request) (account, error) {
	user, err := subject(r)
	if err != nil {
		return account{}, err
	}
	return s.accounts.find(user)
}

// actor returns the person in the path, if they may act.
func (s *Server) actor(r *http.Request) (account, error) {
	a, err := s.person(r)
	if err != nil {
		return account{}, err
	}
	return a, a.mayAct()
}

// parties returns the parties of a FIDO call: the person in its path and the engine of
// its protocol.
func (s *Server) parties(r *http.Request, protocol string) (account, engine, error) {
	a, err := s.actor(r)
	if err != nil {
		return account{}, nil, err
	}
	e, err := s.engine(protocol)
	return a, e, err
}

// payload is the body of a FIDO call.
type payload interface {
	validate() error
	protocol() string // "" where FIDO has no part in it
}

// fidoCall validates the payload before the call, and gives every refusal of a UAF call
// its uafStatusCode.
func fidoCall[T payload](call func(r *http.Request, in T) (any, error)) wire.Call {
	return wire.NoNulls(wire.JSON(func(r *http.Request, in T) (any, error) {
		err := in.validate()
		var out any
		if err == nil {
			out, err = call(r, in)
		}
		if err != nil {
			return nil, inProtocol(in.protocol(), err)
		}
		return out, nil
	}))
}

// uafStatusCode is a member of every answer to a UAF call, and of no other.
const uafStatusCode = "uafStatusCode"

// uafStatuses are the codes of refusals before UAF's own checks.
var uafStatuses = map[int]uaf.Status{
	http.StatusBadRequest: uaf.StatusBadRequest,
	http.StatusNotFound:   uaf.StatusNotFound,
	http.StatusConflict:   uaf.StatusForbidden,
}

func inProtocol(protocol string, err error) *wire.Error {
	refusal := wire.AsError(err)
	_, given := refusal.Members[uafStatusCode]
	switch {
	case protocol != uaf11:
		refusal.Members = nil
	case !given:
		status, known := uafStatuses[refusal.Status]
		if !known {
			status = uaf.StatusInternalError
		}
		return withStatus(refusal, status)
	}
	return refusal
}

func withStatus(e *wire.Error, status uaf.Status) *wire.Error {
	return e.With(uafStatusCode, int(status))
}

// succeeded returns the uafStatusCode of a success, nil for FIDO2.
func succeeded(protocol string) *int {
	if protocol != uaf11 {
		return nil
	}
	code := int(uaf.StatusOK)
	return &code
}
