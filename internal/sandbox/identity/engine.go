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

// engine is the FIDO server of one protocol. It makes requests, keeps what it
// needs to recognise the response, and judges it; people and their registrations
// are the accounts'.
type engine interface {
	generateRegistration(a account, in registrationRequestInput) (ceremonyRequest, error)
	// verifyRegistration returns the registrations that the engine vouches for,
	// one at least; their ids, names and time are given elsewhere.
	verifyRegistration(a account, in registrationInput) ([]registration, error)
	generateAuthentication(a account, in authenticationRequestInput) (ceremonyRequest, error)
	verifyAuthentication(a account, in assertionInput) ([]assertion, error)
	// stale refuses what was verified, but for a registration that meanwhile is
	// gone or has signed something later.
	stale(cause error) error
	// deregistration asks the person's client to forget a key that the server
	// has forgotten; "" where the protocol has no such request.
	deregistration(r registration) (string, error)
	// reset forgets every ceremony under way.
	reset()
}

// ceremonyRequest is what the person's authenticator gets to see, as a string.
type ceremonyRequest struct {
	message   string
	requestID *string // FIDO2
}

// assertionInput is what a person's authenticator answered, and in which member of the
// payload it stands.
type assertionInput struct {
	field     string
	requestID string // FIDO2
	response  string
	// transaction says that a transaction was to be confirmed, and not a sign-in
	// to be made: neither finishes the other.
	transaction bool
}

// assertion says which registration signed. commit brings it up to date; it runs
// while the accounts are locked and refuses what a sign-in at the same moment has
// made stale.
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

// actor is the person in the path, who must be allowed to act.
func (s *Server) actor(r *http.Request) (account, error) {
	a, err := s.accounts.find(r.PathValue("user"))
	if err != nil {
		return account{}, err
	}
	return a, a.mayAct()
}

// parties are whom a FIDO call is between: the person in its path and the engine
// of its protocol.
func (s *Server) parties(r *http.Request, protocol string) (account, engine, error) {
	a, err := s.actor(r)
	if err != nil {
		return account{}, nil, err
	}
	e, err := s.engine(protocol)
	return a, e, err
}

// payload is what a FIDO call was sent.
type payload interface {
	validate() error
	protocol() string // "" where FIDO has no part in it
}

// fidoCall judges the payload before it is acted on, and gives every refusal of
// a UAF call its uafStatusCode.
func fidoCall[T payload](call func(r *http.Request, in T) (any, error)) wire.Call {
	return wire.JSON(func(r *http.Request, in T) (any, error) {
		err := in.validate()
		var out any
		if err == nil {
			out, err = call(r, in)
		}
		if err != nil {
			return nil, inProtocol(in.protocol(), err)
		}
		return out, nil
	})
}

// uafStatusCode is the member that every answer of a UAF call has.
const uafStatusCode = "uafStatusCode"

// uafStatuses are the codes of what is refused before UAF comes into play.
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

// succeeded is the uafStatusCode of a success, null for FIDO2.
func succeeded(protocol string) *int {
	if protocol != uaf11 {
		return nil
	}
	code := int(uaf.StatusOK)
	return &code
}
