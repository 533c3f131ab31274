package ceremony

import (
	"errors"
	"fmt"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// protocolResponse is a response of one protocol. It makes the checks that are particular
// to the protocol, up to and including the relying party.
type protocolResponse interface {
	check(RelyingParty, *Pending, ClientClaims) error
}

var errProtocol = errors.New("unknown FIDO protocol")

// FromRegistrationRequest parses the platform's registrationRequest: for FIDO2
// PublicKeyCredentialCreationOptions in JSON, alone or as the publicKey of an object; for
// UAF11 an array of RegistrationRequests. An error means that the platform sent an
// invalid one.
func FromRegistrationRequest(p Protocol, request string) (Request, error) {
	switch p {
	case FIDO2:
		return readCreationOptions(request)
	case UAF11:
		return readUAFRequest(uaf.OperationRegistration, request)
	}
	return Request{}, fmt.Errorf("%w %q", errProtocol, p)
}

// FromAuthenticationRequest parses the platform's authenticationRequest: for FIDO2
// PublicKeyCredentialRequestOptions in JSON, alone or as the publicKey of an object; for
// UAF11 an array of AuthenticationRequests. An error means that the platform sent an
// invalid one.
func FromAuthenticationRequest(p Protocol, request string) (Request, error) {
	switch p {
	case FIDO2:
		return readRequestOptions(request)
	case UAF11:
		return readUAFRequest(uaf.OperationAuthentication, request)
	}
	return Request{}, fmt.Errorf("%w %q", errProtocol, p)
}

// FromRegistrationResponse parses a client's registrationResponse: for FIDO2 a
// RegistrationResponseJSON (Web Authentication section 5.1), for UAF11 an array of
// RegistrationResponses. The error is ceremony.malformed unless it is well-formed to the
// last byte.
func FromRegistrationResponse(p Protocol, response string) (*Response, error) {
	return read(p, response, readAttestation, uaf.OperationRegistration)
}

// FromAuthenticationResponse parses a client's authenticationResponse: for FIDO2 an
// AuthenticationResponseJSON (Web Authentication section 5.1), for UAF11 an array of
// AuthenticationResponses. The error is ceremony.malformed unless it is well-formed to
// the last byte.
func FromAuthenticationResponse(p Protocol, response string) (*Response, error) {
	return read(p, response, readAssertion, uaf.OperationAuthentication)
}

func read(p Protocol, response string, readFIDO2 func([]byte) (*Response, error), operation uaf.Operation) (*Response, error) {
	var r *Response
	err := fmt.Errorf("%w %q", errProtocol, p)
	switch {
	case len(response) > MaxMessage:
		err = fmt.Errorf("a message of %d bytes", len(response))
	case p == FIDO2:
		r, err = readFIDO2([]byte(response))
	case p == UAF11:
		r, err = readUAFResponse(operation, response)
	}
	if err == nil {
		return r, nil
	}
	refusal := fault.Wrap(fault.CeremonyMalformed, err)
	if p == UAF11 {
		refusal.UAFStatusCode = malformedStatus(err)
	}
	return nil, refusal
}

// malformedStatus returns the status of package uaf's error, or that of a bad request for
// any other error.
func malformedStatus(err error) int {
	if status := uaf.StatusOf(err); status != uaf.StatusInternalError {
		return int(status)
	}
	return int(uaf.StatusBadRequest)
}
