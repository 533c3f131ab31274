package identity

import (
	"net/http"

	"countersign/internal/sandbox/wire"
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
	generateRegistration(p person, in registrationRequestInput) (ceremonyRequest, error)
	verifyRegistration(p person, in registrationInput) (verified, error)
	generateAuthentication(p person, in authenticationRequestInput) (ceremonyRequest, error)
	verifyAuthentication(p person, requestID, response string) (proof, error)
	// reset forgets every ceremony under way.
	reset()
}

// ceremonyRequest is what the person's authenticator gets to see, as a string.
type ceremonyRequest struct {
	message   string
	requestID *string // FIDO2
	uafStatus *int    // UAF11
}

// verified is a registration that the engine vouches for; its id, its name and
// its time are given elsewhere.
type verified struct {
	registration
	uafStatus *int // UAF11
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
		return nil, wire.Refuse(http.StatusBadRequest, "fidoProtocol "+protocol+" is not served by this sandbox yet")
	}
	return e, nil
}
