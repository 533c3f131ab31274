package identity

import (
	"crypto/subtle"
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

type loginOutput struct {
	SessionStatus string `json:"sessionStatus"`
	RequestID     string `json:"requestID,omitzero"`
	// RequestMessage is a command for the person's device, in hex.
	RequestMessage string `json:"requestMessage,omitzero"`
	UAFStatusCode  *int   `json:"uafStatusCode,omitzero"`
}

func (s *Server) login(r *http.Request, in loginInput) (any, error) {
	a, err := s.actor(r)
	if err != nil {
		return nil, err
	}
	if fido := in.fido(); fido != nil {
		return s.authenticate(a, in.protocol(), assertionInput{
			field: responseField, requestID: or(in.RequestID, ""), response: *fido.AuthenticationResponse,
		})
	}
	if in.passKey() == nil {
		return nil, wire.Conflict(noAuthenticators)
	}
	if !in.pushes() {
		if err := a.checkPassKey(*in.passKey()); err != nil {
			return nil, err
		}
		if !a.SecondFactor {
			return loginOutput{SessionStatus: statusAccepted}, nil
		}
	}
	return wire.Answer{Status: http.StatusAccepted, Value: s.pending(a, in.OrchestrationDelivery)}, nil
}

// pending pushes to the account's device, and puts the same into requestMessage where that is
// a delivery that was asked for, as all are where none is named.
func (s *Server) pending(a account, deliveries []string) loginOutput {
	out := loginOutput{SessionStatus: statusPending, RequestID: s.push(a)}
	if len(deliveries) == 0 || slices.Contains(deliveries, requestMessage) {
		out.RequestMessage = hexCommand(command{Command: "request", UserID: a.ID, RequestID: out.RequestID})
	}
	return out
}

func (a account) checkPassKey(passKey string) error {
	if subtle.ConstantTimeCompare([]byte(passKey), []byte(a.PassKey)) != 1 {
		return wire.Conflict(authenticationFailed)
	}
	if a.PasswordExpired {
		return wire.Conflict(passwordExpired)
	}
	return nil
}

// responseField is the member that holds the authenticator's response.
const responseField = "credentials.fidoAuthenticator.authenticationResponse"

// authenticate lets the protocol's engine judge the authenticator's response, and stores
// the result.
func (s *Server) authenticate(a account, protocol string, in assertionInput) (any, error) {
	engine, err := s.engine(protocol)
	if err != nil {
		return nil, err
	}
	assertions, err := engine.verifyAuthentication(a, in)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.use(a.ID, s.now(), assertions); err != nil {
		return nil, engine.stale(err)
	}
	return loginOutput{SessionStatus: statusAccepted, UAFStatusCode: succeeded(protocol)}, nil
}
