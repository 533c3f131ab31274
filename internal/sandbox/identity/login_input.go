package identity

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// riskData holds the client data that every payload may have. The sandbox ignores it.
type riskData struct {
	ClientIP        *string        `json:"clientIP"`
	CDDC            jsontext.Value `json:"cddc"`
	RelationshipRef *string        `json:"relationshipRef"`
	SessionID       *string        `json:"sessionID"`
	ApplicationRef  *string        `json:"applicationRef"`
}

// loginInput is the payload of login, LoginInput (docs/platform.md I5).
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
	r.address(in.ClientIP)
	in.validateCredentials(&r)
	return r.Err()
}

func (in loginInput) validateCredentials(r *rules) {
	fido, passKey := in.fido(), in.passKey()
	switch {
	case fido != nil && passKey != nil:
		r.Broken("credentials", "must be of one kind")
	case fido != nil:
		r.Required(responseField, fido.AuthenticationResponse)
		if in.protocol() == fido2 {
			r.Required("requestID", in.RequestID)
		}
	case passKey == nil:
		r.Broken("credentials", "is required")
	case *passKey == "":
		r.Broken("credentials.passKey", "is required")
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

// pushes reports whether the passKey asks for a push, by the word for how the person protects
// their answer on the device (docs/platform.md I5).
func (in loginInput) pushes() bool {
	return in.passKey() != nil && slices.Contains([]string{"NoPIN", "PIN", "Fingerprint", "Face"}, *in.passKey())
}

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
