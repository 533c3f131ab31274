package identity

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// riskData is what every payload may say of the client. The sandbox ignores it.
type riskData struct {
	ClientIP        *string        `json:"clientIP"`
	CDDC            jsontext.Value `json:"cddc"`
	RelationshipRef *string        `json:"relationshipRef"`
	SessionID       *string        `json:"sessionID"`
	ApplicationRef  *string        `json:"applicationRef"`
}

// loginInput is the payload of login, LoginInput of the identity facts (2.2).
type loginInput struct {
	ObjectType            *string           `json:"objectType"`
	Credentials           *credentialsInput `json:"credentials"`
	RequestID             *string           `json:"requestID"`
	OrchestrationDelivery []string          `json:"orchestrationDelivery"`
	Timeout               *int              `json:"timeout"`      // seconds; the answer comes at once all the same
	LoginMessage          jsontext.Value    `json:"loginMessage"` // ignored
	riskData
}

type credentialsInput struct {
	PassKey           *string             `json:"passKey"`
	FIDOAuthenticator *fidoAuthentication `json:"fidoAuthenticator"`
}

type fidoAuthentication struct {
	AuthenticationResponse *string `json:"authenticationResponse"`
}

func (in loginInput) validate() error {
	var r rules
	r.decision("LoginInput", in.ObjectType, in.OrchestrationDelivery, in.Timeout)
	in.validateCredentials(&r)
	return r.Err()
}

func (in loginInput) validateCredentials(r *rules) {
	fido, passKey := in.fido(), in.passKey()
	switch {
	case fido != nil && (passKey != nil || in.pushed()):
		r.Broken("credentials", "must be of one kind")
	case fido != nil:
		r.Required(responseField, fido.AuthenticationResponse)
		if in.protocol() == fido2 {
			r.Required("requestID", in.RequestID)
		}
	case passKey == nil && !in.pushed():
		r.Broken("credentials", "is required")
	}
}

func (in loginInput) passKey() *string {
	if in.Credentials == nil {
		return nil
	}
	return in.Credentials.PassKey
}

func (in loginInput) fido() *fidoAuthentication {
	if in.Credentials == nil {
		return nil
	}
	return in.Credentials.FIDOAuthenticator
}

func (in loginInput) pushed() bool {
	return slices.Contains(in.OrchestrationDelivery, "pushNotification")
}

// protocol is UAF11 where the response is an array, as UAF messages are.
func (in loginInput) protocol() string {
	if in.fido() == nil {
		return ""
	}
	if strings.HasPrefix(strings.TrimLeft(or(in.fido().AuthenticationResponse, ""), " \t\r\n"), "[") {
		return uaf11
	}
	return fido2
}

type loginOutput struct {
	SessionStatus string `json:"sessionStatus"`
	RequestID     string `json:"requestID,omitzero"`
	UAFStatusCode *int   `json:"uafStatusCode,omitzero"`
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
	if passKey := in.passKey(); passKey != nil {
		if err := a.checkPassKey(*passKey); err != nil {
			return nil, err
		}
	}
	if in.pushed() {
		return loginOutput{SessionStatus: statusPending, RequestID: s.push(a)}, nil
	}
	return loginOutput{SessionStatus: statusAccepted}, nil
}

func (a account) checkPassKey(passKey string) error {
	if subtle.ConstantTimeCompare([]byte(passKey), []byte(a.PassKey)) != 1 {
		return wire.Conflict(authenticationFailed)
	}
	if a.Status == people.PasswordExpired {
		return wire.Conflict(passwordExpired)
	}
	return nil
}

// responseField is the member that holds the authenticator's response.
const responseField = "credentials.fidoAuthenticator.authenticationResponse"

// authenticate has the protocol's engine judge what the person's authenticator signed,
// and keeps what came of it.
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
