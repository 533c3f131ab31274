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

// loginInput is the payload of login, LoginInput of the public facts. What it
// names and the sandbox has no use for (risk data, texts of a push) is taken and
// ignored.
type loginInput struct {
	ObjectType            *string           `json:"objectType"`
	Credentials           *credentialsInput `json:"credentials"`
	RequestID             *string           `json:"requestID"`
	OrchestrationDelivery []string          `json:"orchestrationDelivery"`
	Timeout               *int              `json:"timeout"` // seconds; the answer comes at once all the same

	ClientIP        *string        `json:"clientIP"`
	CDDC            jsontext.Value `json:"cddc"`
	RelationshipRef *string        `json:"relationshipRef"`
	SessionID       *string        `json:"sessionID"`
	ApplicationRef  *string        `json:"applicationRef"`
	LoginMessage    jsontext.Value `json:"loginMessage"`
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

// protocol is told from the response: a UAF message is an array.
func (in loginInput) protocol() string {
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

func (s *Server) login(r *http.Request) (any, error) {
	var in loginInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	if in.fido() == nil {
		return s.loginByPassKey(r, in)
	}
	out, err := s.loginByFIDO(r, in)
	if err != nil {
		return nil, inProtocol(in.protocol(), err)
	}
	return out, nil
}

// loginByPassKey is a sign-in with a password, a push, or both.
func (s *Server) loginByPassKey(r *http.Request, in loginInput) (any, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	p, err := s.actor(r)
	if err != nil {
		return nil, err
	}
	if passKey := in.passKey(); passKey != nil {
		if err := p.checkPassKey(*passKey); err != nil {
			return nil, err
		}
	}
	if in.pushed() {
		return loginOutput{SessionStatus: statusPending, RequestID: s.push(p)}, nil
	}
	return loginOutput{SessionStatus: statusAccepted}, nil
}

func (p account) checkPassKey(passKey string) error {
	if subtle.ConstantTimeCompare([]byte(passKey), []byte(p.PassKey)) != 1 {
		return wire.Conflict(authenticationFailed)
	}
	if p.Status == people.PasswordExpired {
		return wire.Conflict(passwordExpired)
	}
	return nil
}

func (s *Server) loginByFIDO(r *http.Request, in loginInput) (loginOutput, error) {
	if err := in.validate(); err != nil {
		return loginOutput{}, err
	}
	p, err := s.actor(r)
	if err != nil {
		return loginOutput{}, err
	}
	return s.prove(p, in.protocol(), signed{
		field: responseField, requestID: or(in.RequestID, ""), response: *in.fido().AuthenticationResponse,
	})
}

// responseField is where a sign-in carries what an authenticator signed.
const responseField = "credentials.fidoAuthenticator.authenticationResponse"

// prove has the protocol's engine judge what the person's authenticator signed,
// and keeps what came of it.
func (s *Server) prove(p account, protocol string, in signed) (loginOutput, error) {
	engine, err := s.engine(protocol)
	if err != nil {
		return loginOutput{}, err
	}
	proofs, err := engine.verifyAuthentication(p, in)
	if err != nil {
		return loginOutput{}, err
	}
	if err := s.accounts.use(p.ID, s.now(), proofs); err != nil {
		return loginOutput{}, engine.stale(err)
	}
	return loginOutput{SessionStatus: statusAccepted, UAFStatusCode: succeeded(protocol)}, nil
}
