package identity

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The names of the two inputs of a login.
const (
	plainLogin    = "LoginInput"
	adaptiveLogin = "AdaptiveLoginInput"
)

// loginInput is the payload of login, LoginInput or AdaptiveLoginInput (docs/platform.md
// I5).
type loginInput struct {
	ObjectType            *string           `json:"objectType"`
	Credentials           *credentialsInput `json:"credentials"`
	RequestID             *string           `json:"requestID"`
	OrchestrationDelivery []string          `json:"orchestrationDelivery"`
	Timeout               *int              `json:"timeout"` // seconds; the answer comes at once all the same
	LoginMessage          *loginMessage     `json:"loginMessage"`
	clientData
	adaptiveData
}

type loginMessage struct {
	Challenge *string `json:"challenge"`
	messageInput
	Rest map[string]jsontext.Value `json:",embed"`
}

type credentialsInput struct {
	PassKey           *string             `json:"passKey"`
	Authenticator     *otpInput           `json:"authenticator"`
	FIDOAuthenticator *fidoAuthentication `json:"fidoAuthenticator"`
}

// otpInput is a one-time password. Nobody here has a device that makes one.
type otpInput struct {
	OTP          *string `json:"OTP"`
	PIN          *string `json:"PIN"`
	SerialNumber *string `json:"serialNumber"`
}

type fidoAuthentication struct {
	AuthenticationResponse *string `json:"authenticationResponse"`
	channelBinding
}

// channelBinding is what a response may have about its connection; the sandbox ignores it.
type channelBinding struct {
	CIDPublicKey *string `json:"cidPublicKey"`
	TLSUnique    *string `json:"tlsUnique"`
	TokenBinding *string `json:"tokenBinding"`
}

func (in loginInput) validate() error {
	var r rules
	r.decision(in.ObjectType, []string{plainLogin, adaptiveLogin}, in.OrchestrationDelivery, in.Timeout)
	adaptive := or(in.ObjectType, "") == adaptiveLogin
	if adaptive && in.CDDC == nil {
		r.Broken("cddc", "is required")
	}
	in.clientData.validate(&r)
	in.adaptiveData.validate(&r, adaptive)
	r.requestID("requestID", in.RequestID)
	if in.LoginMessage != nil {
		r.Length("loginMessage.challenge", in.LoginMessage.Challenge, 1, 350)
		in.LoginMessage.validate(&r, "loginMessage")
	}
	in.validateCredentials(&r)
	return r.Err()
}

func (in loginInput) validateCredentials(r *rules) {
	c := in.Credentials
	if c == nil {
		c = &credentialsInput{}
	}
	r.oneOf("credentials", c.PassKey != nil, c.Authenticator != nil, c.FIDOAuthenticator != nil)
	switch {
	case c.PassKey != nil:
		r.Length("credentials.passKey", c.PassKey, 1, 255)
	case c.Authenticator != nil:
		c.Authenticator.validate(r)
	case c.FIDOAuthenticator != nil:
		r.Required(responseField, c.FIDOAuthenticator.AuthenticationResponse)
		if in.protocol() == fido2 {
			r.Required("requestID", in.RequestID)
		}
	}
}

func (in otpInput) validate(r *rules) {
	const at = "credentials.authenticator."
	r.Required(at+"OTP", in.OTP)
	r.Length(at+"OTP", in.OTP, 6, 16)
	r.Length(at+"PIN", in.PIN, 4, 8)
	r.Matches(at+"serialNumber", in.SerialNumber, serialForm, "the serial number of an authenticator")
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

// pushes reports whether the passKey asks for a push, by the word for how the person protects
// their answer on the device (docs/platform.md I5).
func (in loginInput) pushes() bool {
	return in.passKey() != nil && slices.Contains(protections, *in.passKey())
}

// protections are the words for how a person protects their answer on the device.
var protections = []string{"NoPIN", "PIN", "Fingerprint", "Face"}

// protocol returns UAF11 if the response is an array, like UAF messages, else FIDO2.
func (in loginInput) protocol() string {
	if in.fido() == nil {
		return ""
	}
	if strings.HasPrefix(strings.TrimLeft(or(in.fido().AuthenticationResponse, ""), " \t\r\n"), "[") {
		return uaf11
	}
	return fido2
}
