package identity

import (
	"fmt"
	"net/http"
	"slices"
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

func (in registrationRequestInput) protocol() string { return or(in.FIDOProtocol, "") }

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

func (s *Server) generateRegistration(r *http.Request, in registrationRequestInput) (any, error) {
	a, engine, err := s.parties(r, in.protocol())
	if err != nil {
		return nil, err
	}
	request, err := engine.generateRegistration(a, in)
	if err != nil {
		return nil, err
	}
	return struct {
		RegistrationRequest string  `json:"registrationRequest"`
		RequestID           *string `json:"requestID,omitzero"`
		UAFStatusCode       *int    `json:"uafStatusCode,omitzero"`
	}{request.message, request.requestID, succeeded(in.protocol())}, nil
}

// registrationInput is the payload of register-fido-device.
type registrationInput struct {
	FIDOProtocol         *string `json:"fidoProtocol"`
	RegistrationResponse *string `json:"registrationResponse"`
	RequestID            *string `json:"requestID"`
	channelBinding
}

func (in registrationInput) protocol() string { return or(in.FIDOProtocol, "") }

func (in registrationInput) validate() error {
	var r rules
	r.protocol(in.FIDOProtocol)
	r.Required("registrationResponse", in.RegistrationResponse)
	r.only(fido2, "requestID", in.RequestID != nil, in.FIDOProtocol)
	if in.protocol() == fido2 {
		r.Required("requestID", in.RequestID)
	}
	return r.Err()
}

func (s *Server) register(r *http.Request, in registrationInput) (any, error) {
	a, engine, err := s.parties(r, in.protocol())
	if err != nil {
		return nil, err
	}
	made, err := engine.verifyRegistration(a, in)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.register(a.ID, s.now(), made); err != nil {
		return nil, err
	}
	return struct {
		UAFStatusCode *int `json:"uafStatusCode,omitzero"`
	}{succeeded(in.protocol())}, nil
}

// nameFor returns the engine's name, with a number if the person already has that name.
func nameFor(a account, made registration) string {
	inUse := func(name string) bool {
		return slices.ContainsFunc(a.registrations, func(r registration) bool { return r.name == name })
	}
	name := made.name
	for n := 2; inUse(name); n++ {
		name = fmt.Sprintf("%s %d", made.name, n)
	}
	return name
}
