// Package ceremony is what a FIDO exchange is: it reads the challenge out of
// the platform's request, matches a client's response to it, and checks the
// response's structure, type, origin and relying party before the platform is
// bothered. FIDO2 stands on go-webauthn's protocol package, hardened where that
// is lax; UAF 1.1 on package uaf.
//
// RelyingParty.Begin makes the ceremony that a request opens. A response is read
// first, which spends nothing and proves it well-formed to the last byte; the pending
// ceremony is then found by the challenge inside it and spent; RelyingParty.Check
// comes last.
//
// It stores nothing, knows no HTTP, and judges neither signatures, algorithms,
// user presence and verification, nor attestation: those are the platform's. It
// only reads: what is relayed is the client's text byte for byte.
package ceremony

import (
	"errors"
	"fmt"
	"time"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// Kind is what a ceremony is for. A ceremony of one kind never finishes another.
type Kind string

// The kinds.
const (
	Registration Kind = "registration"
	SignIn       Kind = "sign-in"
	Transaction  Kind = "transaction"
)

// Protocol is the platform's name of a FIDO protocol.
type Protocol string

// The protocols, as in fidoProtocol (specification 4.3).
const (
	FIDO2 Protocol = "FIDO2"
	UAF11 Protocol = "UAF11"
)

// MaxMessage is the length in bytes above which a client's message is refused
// unread.
const MaxMessage = 256 << 10

// Request is what matters of a request that the platform made for a client.
type Request struct {
	Protocol Protocol
	// Challenge is decoded, as the client will send it back.
	Challenge []byte
	// RPID is the relying party ID of a FIDO2 request; "" when it names none and
	// the client takes its origin's host.
	RPID string
	// AppID is that of a UAF request; "" makes the client's facet ID the appID.
	AppID string
	// Timeout is how long the client is told to wait; zero when it is not told.
	Timeout time.Duration
	// TransactionHash is SHA-256 of the content that a UAF transaction shows; of
	// each form in turn (32 bytes each) where one content comes in several.
	TransactionHash []byte
	// AllowCredentials is the number of credentials a FIDO2 sign-in names; -1
	// where the request does not tell.
	AllowCredentials int
}

// Response is a client's well-formed answer to a request.
type Response struct {
	Protocol Protocol
	// Challenge is decoded from inside the response: what the pending ceremony
	// is found by.
	Challenge []byte
	inner     protocolResponse
}

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
