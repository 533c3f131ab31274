package identity

import (
	"fmt"
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

// registrationRequestInput is the payload of generate-fido-registration-request
// (specification, part 4.3).
type registrationRequestInput struct {
	FIDOProtocol           *string         `json:"fidoProtocol"`
	DisplayName            *string         `json:"displayName"`
	AuthenticatorSelection *selectionInput `json:"authenticatorSelection"`
	Attestation            *string         `json:"attestation"`
}

type selectionInput struct {
	AuthenticatorAttachment *string `json:"authenticatorAttachment"`
	UserVerification        *string `json:"userVerification"`
	RequireResidentKey      *bool   `json:"requireResidentKey"`
}

func (in registrationRequestInput) validate() error {
	var r rules
	r.protocol(in.FIDOProtocol)
	r.only(fido2, "displayName", in.DisplayName != nil, in.FIDOProtocol)
	r.only(fido2, "authenticatorSelection", in.AuthenticatorSelection != nil, in.FIDOProtocol)
	r.only(fido2, "attestation", in.Attestation != nil, in.FIDOProtocol)
	if selection := in.AuthenticatorSelection; selection != nil {
		r.OneOf("authenticatorSelection.authenticatorAttachment", selection.AuthenticatorAttachment, "platform", "cross-platform")
		r.OneOf("authenticatorSelection.userVerification", selection.UserVerification, "required", "preferred", "discouraged")
	}
	r.OneOf("attestation", in.Attestation, "none", "indirect", "direct")
	return r.Err()
}

func (s *Server) generateRegistration(r *http.Request) (any, error) {
	var in registrationRequestInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	protocol := or(in.FIDOProtocol, "")
	request, err := s.registrationRequest(r, in)
	if err != nil {
		return nil, inProtocol(protocol, err)
	}
	return struct {
		RegistrationRequest string  `json:"registrationRequest"`
		RequestID           *string `json:"requestID,omitzero"`
		UAFStatusCode       *int    `json:"uafStatusCode"`
	}{request.message, request.requestID, succeeded(protocol)}, nil
}

func (s *Server) registrationRequest(r *http.Request, in registrationRequestInput) (ceremonyRequest, error) {
	p, engine, err := s.parties(r, in, in.FIDOProtocol)
	if err != nil {
		return ceremonyRequest{}, err
	}
	return engine.generateRegistration(p, in)
}

// registrationInput is the payload of register-fido-device.
type registrationInput struct {
	FIDOProtocol         *string `json:"fidoProtocol"`
	RegistrationResponse *string `json:"registrationResponse"`
	RequestID            *string `json:"requestID"`
}

func (in registrationInput) validate() error {
	var r rules
	r.protocol(in.FIDOProtocol)
	r.Required("registrationResponse", in.RegistrationResponse)
	r.only(fido2, "requestID", in.RequestID != nil, in.FIDOProtocol)
	if in.FIDOProtocol != nil && *in.FIDOProtocol == fido2 {
		r.Required("requestID", in.RequestID)
	}
	return r.Err()
}

func (s *Server) register(r *http.Request) (any, error) {
	var in registrationInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	protocol := or(in.FIDOProtocol, "")
	if err := s.registerDevice(r, in); err != nil {
		return nil, inProtocol(protocol, err)
	}
	return struct {
		UAFStatusCode *int `json:"uafStatusCode"`
	}{succeeded(protocol)}, nil
}

func (s *Server) registerDevice(r *http.Request, in registrationInput) error {
	p, engine, err := s.parties(r, in, in.FIDOProtocol)
	if err != nil {
		return err
	}
	made, err := engine.verifyRegistration(p, in)
	if err != nil {
		return err
	}
	return s.accounts.register(p.ID, s.now(), made)
}

// actor is the person in the path, who must be allowed to act.
func (s *Server) actor(r *http.Request) (account, error) {
	p, err := s.accounts.find(r.PathValue("user"))
	if err != nil {
		return account{}, err
	}
	return p, p.mayAct()
}

// nameFor is the name that the engine gave, numbered where the person has one of
// that name.
func nameFor(p account, made registration) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(p.registrations, func(r registration) bool { return r.name == name })
	}
	name := made.name
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s %d", made.name, n)
	}
	return name
}
