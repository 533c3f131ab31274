package identity

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// The values of activationType.
const (
	onlineMDL  = "onlineMDL"
	offlineMDL = "offlineMDL"
	onlyFIDO   = "fido"
)

// defaultDomain is where a userID without a domain belongs.
const defaultDomain = "sandbox"

// registerUserInput is the payload of POST /users/register, RegisterUserInputEx
// of the public facts (3.1). It is for people that there are: what it says of
// them beyond their password is taken and ignored, as are risk data.
type registerUserInput struct {
	ObjectType     *string `json:"objectType"`
	UserID         *string `json:"userID"`
	Domain         *string `json:"domain"`
	StaticPassword *string `json:"staticPassword"`
	ActivationType *string `json:"activationType"`

	EmailAddress    *string        `json:"emailAddress"`
	MobilePhone     *string        `json:"mobilePhone"`
	ClientIP        *string        `json:"clientIP"`
	CDDC            jsontext.Value `json:"cddc"`
	RelationshipRef *string        `json:"relationshipRef"`
	SessionID       *string        `json:"sessionID"`
	ApplicationRef  *string        `json:"applicationRef"`
}

func (in registerUserInput) validate() error {
	var r rules
	r.Required("objectType", in.ObjectType)
	if in.ObjectType != nil && *in.ObjectType != "" {
		r.OneOf("objectType", in.ObjectType, "RegisterUserInputEx")
	}
	r.Required("userID", in.UserID)
	if _, domain, whole := strings.Cut(or(in.UserID, ""), "@"); whole && !strings.EqualFold(or(in.Domain, domain), domain) {
		r.Broken("domain", "is not that of userID")
	}
	r.OneOf("activationType", in.ActivationType, onlineMDL, offlineMDL, onlyFIDO)
	return r.Err()
}

// person is userID@domain, however it was given.
func (in registerUserInput) person() string {
	if strings.Contains(*in.UserID, "@") {
		return *in.UserID
	}
	return *in.UserID + "@" + or(in.Domain, defaultDomain)
}

// registerUserOutput has a password and a licence where a device is to be
// activated, and null where FIDO is all there will be.
type registerUserOutput struct {
	ActivationPassword *string `json:"activationPassword"`
	SerialNumber       *string `json:"serialNumber"`
	RegistrationID     string  `json:"registrationID"`
}

// registerUser hands out an activation password.
func (s *Server) registerUser(r *http.Request) (any, error) {
	var in registerUserInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	if err := in.validate(); err != nil {
		return nil, err
	}
	out := registerUserOutput{RegistrationID: uuid.NewString()}
	err := s.accounts.change(in.person(), func(p *account) error {
		if err := p.mayAct(); err != nil {
			return err
		}
		if in.StaticPassword != nil {
			if err := p.checkPassKey(*in.StaticPassword); err != nil {
				return err
			}
		}
		return s.prepareActivation(p, or(in.ActivationType, onlineMDL), &out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Server) prepareActivation(p *account, kind string, out *registerUserOutput) error {
	if kind == onlyFIDO {
		return nil
	}
	if p.activation.closed() {
		return wire.Conflict(noAuthenticators)
	}
	serial, password := p.activation.license(), p.activation.issue(s.now())
	out.SerialNumber, out.ActivationPassword = &serial, &password
	return nil
}
