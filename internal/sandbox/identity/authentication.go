package identity

import (
	"net/http"

	"countersign/internal/sandbox/wire"
)

// authenticationRequestInput is the payload of
// generate-fido-authentication-request.
type authenticationRequestInput struct {
	FIDOProtocol          *string `json:"fidoProtocol"`
	UserVerification      *string `json:"userVerification"`
	AuthenticationMessage *string `json:"authenticationMessage"`
}

func (in authenticationRequestInput) validate() error {
	var r rules
	r.protocol(in.FIDOProtocol)
	r.only(fido2, "userVerification", in.UserVerification != nil, in.FIDOProtocol)
	r.oneOf("userVerification", in.UserVerification, "required", "preferred", "discouraged")
	r.only(uaf11, "authenticationMessage", in.AuthenticationMessage != nil, in.FIDOProtocol)
	return r.verdict()
}

func (s *Server) generateAuthentication(r *http.Request) (any, error) {
	var in authenticationRequestInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	if err := in.validate(); err != nil {
		return nil, err
	}
	p, err := s.actor(r)
	if err != nil {
		return nil, err
	}
	engine, err := s.engine(*in.FIDOProtocol)
	if err != nil {
		return nil, err
	}
	request, err := engine.generateAuthentication(p, in)
	if err != nil {
		return nil, err
	}
	return struct {
		AuthenticationRequest string  `json:"authenticationRequest"`
		RequestID             *string `json:"requestID,omitzero"`
	}{request.message, request.requestID}, nil
}
