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
// needs to recognise the answer, and judges it; people and their registrations
// are the directory's.
type engine interface {
	generateRegistration(p account, in registrationRequestInput) (ceremonyRequest, error)
	// verifyRegistration returns the registrations that the engine vouches for,
	// one at least; their ids, names and time are given elsewhere.
	verifyRegistration(p account, in registrationInput) ([]registration, error)
	generateAuthentication(p account, in authenticationRequestInput) (ceremonyRequest, error)
	verifyAuthentication(p account, in signed) ([]proof, error)
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

// signed is what a person's authenticator answered, and in which member of the
// payload it stands.
type signed struct {
	field     string
	requestID string // FIDO2
	response  string
	// transaction says that a transaction was to be confirmed, and not a sign-in
	// to be made: neither finishes the other.
	transaction bool
}

// proof says which registration signed. commit brings it up to date; it runs
// while the directory is locked and refuses what a sign-in at the same moment
// has made stale.
type proof struct {
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

// parties are whom a FIDO call is between: the person in its path and the engine
// of its protocol. Its payload is judged first.
func (s *Server) parties(r *http.Request, in interface{ validate() error }, protocol *string) (account, engine, error) {
	if err := in.validate(); err != nil {
		return account{}, nil, err
	}
	p, err := s.actor(r)
	if err != nil {
		return account{}, nil, err
	}
	e, err := s.engine(*protocol) // which every valid payload names
	return p, e, err
}

// succeeded is the uafStatusCode of a success, null for FIDO2.
func succeeded(protocol string) *int {
	if protocol != uaf11 {
		return nil
	}
	code := int(uaf.StatusOK)
	return &code
}

// uafStatuses are the codes of what is refused before UAF comes into play.
var uafStatuses = map[int]uaf.Status{
	http.StatusBadRequest: uaf.StatusBadRequest,
	http.StatusNotFound:   uaf.StatusNotFound,
	http.StatusConflict:   uaf.StatusForbidden,
}

// inProtocol gives a refusal of a UAF call its uafStatusCode, where it has none,
// and leaves those of FIDO2 without any.
func inProtocol(protocol string, err error) error {
	if err == nil {
		return nil
	}
	refusal := wire.AsError(err)
	if protocol != uaf11 {
		return refusal.Without(uafStatusCode)
	}
	if _, given := refusal.Members[uafStatusCode]; given {
		return refusal
	}
	status, known := uafStatuses[refusal.Status]
	if !known {
		status = uaf.StatusInternalError
	}
	return withStatus(refusal, status)
}

func withStatus(e *wire.Error, status uaf.Status) *wire.Error {
	return e.With(uafStatusCode, int(status))
}
