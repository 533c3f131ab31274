package identity

import (
	"net/http"

	"countersign/internal/sandbox/wire"
)

// confirmationField is the member that holds the authenticator's response.
const confirmationField = "data.fido.authenticationResponse"

// validateTransaction judges a transaction confirmed with an authenticator, or sends one
// to the person's device.
func (s *Server) validateTransaction(r *http.Request, in transactionInput) (any, error) {
	a, err := s.actor(r)
	if err != nil {
		return nil, err
	}
	if fido := in.Data.FIDO; fido != nil {
		return s.authenticate(a, uaf11, assertionInput{
			field: confirmationField, requestID: *fido.RequestID, response: *fido.AuthenticationResponse, transaction: true,
		})
	}
	if in.Data.TransactionMessage == nil {
		return nil, wire.Conflict(noAuthenticators)
	}
	return wire.Answer{Status: http.StatusAccepted, Value: s.pending(a, in.OrchestrationDelivery)}, nil
}

// protocol returns UAF11 for a transaction that an authenticator signed, since what FIDO2
// signs covers no transaction; else "".
func (in transactionInput) protocol() string {
	if in.Data == nil || in.Data.FIDO == nil {
		return ""
	}
	return uaf11
}
