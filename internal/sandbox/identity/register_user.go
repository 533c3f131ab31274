package identity

import (
	"maps"
	"net/http"
	"slices"
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

	// The sandbox checks what follows, and does nothing with it.
	AuthenticatorDescription *string `json:"authenticatorDescription"`
	DigipassType             *string `json:"digipassType"`
	PhoneNumber              *string `json:"phoneNumber"`
	SerialNumber             *string `json:"serialNumber"`
	clientData
}

func (in registerUserInput) validate() error {
	var r rules
	r.kind("objectType", in.ObjectType, "RegisterUserInputEx")
	r.Required("userID", in.UserID)
	r.Length("userID", in.UserID, 0, 255)
	r.Length("domain", in.Domain, 0, 255)
	r.Length("staticPassword", in.StaticPassword, 8, 255)
	if _, domain, whole := strings.Cut(or(in.UserID, ""), "@"); whole && !strings.EqualFold(or(in.Domain, domain), domain) {
		r.Broken("domain", "is not that of userID")
	}
	r.OneOf("activationType", in.ActivationType, onlineMDL, offlineMDL, onlyFIDO)
	in.validateDevice(&r)
	in.clientData.validate(&r)
	r.Email("emailAddress", in.EmailAddress)
	r.Matches("mobilePhoneNumber", in.MobilePhoneNumber, mobileForm, "a number in E.164 form")
	return r.Err()
}

func (in registerUserInput) validateDevice(r *rules) {
	r.Length("authenticatorDescription", in.AuthenticatorDescription, 1, 255)
	if in.AuthenticatorDescription != nil && untrimmed.MatchString(*in.AuthenticatorDescription) {
		r.Broken("authenticatorDescription", "must be visible, without white space around it")
	}
	r.Length("digipassType", in.DigipassType, 5, 5)
	r.Matches("phoneNumber", in.PhoneNumber, phoneForm, "a telephone number")
	r.Matches("serialNumber", in.SerialNumber, serialForm, "the serial number of an authenticator")
}

// person returns userID@domain from either form of input.
func (in registerUserInput) person() string {
	if strings.Contains(*in.UserID, "@") {
		return *in.UserID
	}
	return *in.UserID + "@" + or(in.Domain, defaultDomain)
}

// registerUserOutput has a password and a licence for the activation of a device, or the
// protocols that are served for FIDO alone.
type registerUserOutput struct {
	ActivationPassword     string   `json:"activationPassword,omitzero"`
	SerialNumber           string   `json:"serialNumber,omitzero"`
	RegistrationID         string   `json:"registrationID"`
	SupportedFIDOProtocols []string `json:"supportedFIDOProtocols,omitzero"`
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
		out.SupportedFIDOProtocols = slices.Sorted(maps.Keys(s.engines))
		return nil
	}
	if a.activation.closed() {
		return wire.Conflict(noAuthenticators)
	}
	out.SerialNumber, out.ActivationPassword = a.activation.license(), a.activation.issue(s.now())
	return nil
}
