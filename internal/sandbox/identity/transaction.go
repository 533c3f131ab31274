package identity

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

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
		return s.authenticate(a, *fido.FIDOProtocol, assertionInput{
			field: confirmationField, response: *fido.AuthenticationResponse, transaction: true,
		})
	}
	return wire.Accepted(s.pending(a, in.OrchestrationDelivery)), nil
}

// protocol returns "" for a pushed transaction.
func (in transactionInput) protocol() string {
	if in.Data == nil || in.Data.FIDO == nil {
		return ""
	}
	return or(in.Data.FIDO.FIDOProtocol, "")
}

// given reports whether a member is neither absent nor null.
func given(value jsontext.Value) bool { return value != nil && value.Kind() != 'n' }
