package identity

import (
	"net/http"

	"countersign/internal/uaf"
)

// authenticationRequestInput is the payload of
// generate-fido-authentication-request.
type authenticationRequestInput struct {
	FIDOProtocol          *string `json:"fidoProtocol"`
	UserVerification      *string `json:"userVerification"`
	AuthenticationMessage *string `json:"authenticationMessage"`
}

func (in authenticationRequestInput) protocol() string { return or(in.FIDOProtocol, "") }

func (in authenticationRequestInput) validate() error {
	var r rules
	r.protocol(in.FIDOProtocol)
	r.only(fido2, "userVerification", in.UserVerification != nil, in.FIDOProtocol)
	r.OneOf("userVerification", in.UserVerification, "required", "preferred", "discouraged")
	r.only(uaf11, "authenticationMessage", in.AuthenticationMessage != nil, in.FIDOProtocol)
	if in.AuthenticationMessage != nil {
		if _, err := uaf.NewTextTransaction(*in.AuthenticationMessage); err != nil {
			r.Broken("authenticationMessage", "must be 1 to 200 ASCII characters")
		}
	}
	return r.Err()
}

func (s *Server) generateAuthentication(r *http.Request, in authenticationRequestInput) (any, error) {
	a, engine, err := s.parties(r, in.protocol())
	if err != nil {
		return nil, err
	}
	request, err := engine.generateAuthentication(a, in)
	if err != nil {
		return nil, err
	}
	return struct {
		AuthenticationRequest string  `json:"authenticationRequest"`
		RequestID             *string `json:"requestID"`
		UAFStatusCode         *int    `json:"uafStatusCode,omitzero"`
	}{request.message, request.requestID, succeeded(in.protocol())}, nil
}
