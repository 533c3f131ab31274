package ceremony

import (
	"errors"
	"fmt"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// protocolResponse is a response of one protocol. It checks what is particular to
// the protocol, up to and including the relying party.
type protocolResponse interface {
	check(RelyingParty, *Pending, Presented) error
}

var errProtocol = errors.New("unknown FIDO protocol")

// FromRegistrationRequest reads the registrationRequest of the platform: for
// FIDO2 PublicKeyCredentialCreationOptions in JSON, alone or as the publicKey of
// an object; for UAF11 an array of RegistrationRequests. An error means that the
// platform sent what it should not.
func FromRegistrationRequest(p Protocol, request string) (Request, error) {
	switch p {
	case FIDO2:
		return readCreationOptions(request)
	case UAF11:
		return readUAFRequest(uaf.OperationRegistration, request)
	}
	return Request{}, fmt.Errorf("%w %q", errProtocol, p)
}

// FromAuthenticationRequest reads the authenticationRequest of the platform: for
// FIDO2 PublicKeyCredentialRequestOptions in JSON, alone or as the publicKey of
// an object; for UAF11 an array of AuthenticationRequests. An error means that
// the platform sent what it should not.
func FromAuthenticationRequest(p Protocol, request string) (Request, error) {
	switch p {
	case FIDO2:
		return readRequestOptions(request)
	case UAF11:
		return readUAFRequest(uaf.OperationAuthentication, request)
	}
	return Request{}, fmt.Errorf("%w %q", errProtocol, p)
}

// FromRegistrationResponse reads a client's registrationResponse: for FIDO2 a
// RegistrationResponseJSON (Web Authentication section 5.1), for UAF11 an array
// of RegistrationResponses. Whatever is not well-formed to the last byte is a
// ceremony.malformed.
func FromRegistrationResponse(p Protocol, response string) (*Response, error) {
	return read(p, response, readAttestation, uaf.OperationRegistration)
}

// FromAuthenticationResponse reads a client's authenticationResponse: for FIDO2
// an AuthenticationResponseJSON (Web Authentication section 5.1), for UAF11 an
// array of AuthenticationResponses. Whatever is not well-formed to the last byte
// is a ceremony.malformed.
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

// malformedStatus is package uaf's verdict; a message that never came that far
// is a bad request.
func malformedStatus(err error) int {
	if status := uaf.StatusOf(err); status != uaf.StatusInternalError {
		return int(status)
	}
	return int(uaf.StatusBadRequest)
}
