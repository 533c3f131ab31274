package identity

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// The values of activationType.
const (
	onlineMDL  = "onlineMDL"
	offlineMDL = "offlineMDL"
	onlyFIDO   = "fido"
)

// defaultDomain is the domain of a userID without one.
const defaultDomain = "sandbox"

// registerUserInput is the payload of POST /users/register, RegisterUserInputEx
// (docs/platform.md I9). The person must exist.
type registerUserInput struct {
	ObjectType     *string `json:"objectType"`
	UserID         *string `json:"userID"`
	Domain         *string `json:"domain"`
	StaticPassword *string `json:"staticPassword"`
	ActivationType *string `json:"activationType"`

	EmailAddress *string `json:"emailAddress"` // ignored
	MobilePhone  *string `json:"mobilePhone"`  // ignored
	riskData
}

func (in registerUserInput) validate() error {
	var r rules
	r.kind("objectType", in.ObjectType, "RegisterUserInputEx")
	r.Required("userID", in.UserID)
	if _, domain, whole := strings.Cut(or(in.UserID, ""), "@"); whole && !strings.EqualFold(or(in.Domain, domain), domain) {
		r.Broken("domain", "is not that of userID")
	}
	r.OneOf("activationType", in.ActivationType, onlineMDL, offlineMDL, onlyFIDO)
	return r.Err()
}

// person returns userID@domain from either form of input.
func (in registerUserInput) person() string {
	if strings.Contains(*in.UserID, "@") {
		return *in.UserID
	}
	return *in.UserID + "@" + or(in.Domain, defaultDomain)
}

// registerUserOutput has a password and a licence for the activation of a device, and
// nulls for FIDO alone.
type registerUserOutput struct {
	ActivationPassword *string `json:"activationPassword"`
	SerialNumber       *string `json:"serialNumber"`
	RegistrationID     string  `json:"registrationID"`
}

// registerUser issues an activation password.
func (s *Server) registerUser(_ *http.Request, in registerUserInput) (any, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	out := registerUserOutput{RegistrationID: uuid.NewString()}
	err := s.accounts.change(in.person(), func(a *account) error {
		if err := a.mayAct(); err != nil {
			return err
		}
		if in.StaticPassword != nil {
			if err := a.checkPassKey(*in.StaticPassword); err != nil {
				return err
			}
		}
		return s.prepareActivation(a, or(in.ActivationType, onlineMDL), &out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Server) prepareActivation(a *account, kind string, out *registerUserOutput) error {
	if kind == onlyFIDO {
		return nil
	}
	if a.activation.closed() {
		return wire.Conflict(noAuthenticators)
	}
	serial, password := a.activation.license(), a.activation.issue(s.now())
	out.SerialNumber, out.ActivationPassword = &serial, &password
	return nil
}
