package handlers

import (
	"strings"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
)

// The methods a person can have signed in with.
const (
	methodPassword = "password"
	methodOTP      = "otp"
	methodFIDO2    = "fido2"
	methodUAF      = "uaf"
	methodPush     = "push"
)

const responsePointer = "/credentials/fidoAuthenticator/authenticationResponse"

// attempt is one try to sign in, read and known to be well-formed.
type attempt struct {
	user   string
	method string
	input  identity.LoginInput
	// protocol and response are of a FIDO sign-in; response is nil for others.
	protocol ceremony.Protocol
	response *ceremony.Response
}

// refused says of a refused UAF sign-in that it is one.
func (a attempt) refused(err error) error {
	f := fault.From(err)
	if f.Key != fault.SignInRefused || a.protocol != ceremony.UAF11 {
		return err
	}
	f.UAF = true
	return f
}

// loginPayload reads the platform's LoginInput (identity-facts section 2.2).
// objectType, clientIP and timeout are set by us, whatever was sent. Members
// that we do not know are not passed on: nobody here has judged what the
// platform would make of them.
func loginPayload(user string, body *request.Object) (attempt, error) {
	a := attempt{user: user}
	in := &a.input
	in.RequestID = body.NonEmpty("requestID")
	in.OrchestrationDelivery = body.Texts("orchestrationDelivery", "pushNotification", "requestMessage")
	in.CDDC, _ = body.Raw("cddc")
	in.LoginMessage, _ = body.Raw("loginMessage")
	in.RelationshipRef, _ = body.Text("relationshipRef")
	in.SessionID, _ = body.Text("sessionID")
	in.ApplicationRef, _ = body.Text("applicationRef")
	credentials := body.Object("credentials")
	if credentials != nil {
		a.readCredentials(credentials)
	}
	if a.method == "" && len(in.OrchestrationDelivery) > 0 {
		a.method = methodPush
	}
	if a.method == "" && body.Err() == nil {
		body.Note("credentials", "field.credentials")
	}
	if err := body.Err(); err != nil {
		return a, err
	}
	return a, a.readResponse()
}

// readCredentials reads the one credential that may be there.
func (a *attempt) readCredentials(credentials *request.Object) {
	out := &identity.Credentials{}
	var methods []string
	if passKey, ok := credentials.Text("passKey"); ok {
		out.PassKey = passKey
		methods = append(methods, methodPassword)
	}
	if otp := credentials.Object("authenticator"); otp != nil {
		out.Authenticator = &identity.OTPCredential{OTP: otp.Required("OTP")}
		methods = append(methods, methodOTP)
	}
	if fido := credentials.Object("fidoAuthenticator"); fido != nil {
		response := fido.Required("authenticationResponse")
		protocol, _ := fido.Text("fidoProtocol", protocolUAF11, protocolFIDO2)
		a.protocol = protocolOf(protocol, response)
		out.FIDOAuthenticator = &identity.FIDOCredential{AuthenticationResponse: response}
		methods = append(methods, fidoMethod(a.protocol))
	}
	if len(methods) > 1 {
		credentials.NoteSelf("field.credentials")
		return
	}
	if len(methods) == 1 {
		a.method, a.input.Credentials = methods[0], out
	}
}

// readResponse reads the FIDO response, if the attempt is one: what cannot be
// read spends nothing.
func (a *attempt) readResponse() (err error) {
	if a.protocol == "" {
		return nil
	}
	text := a.input.Credentials.FIDOAuthenticator.AuthenticationResponse
	a.response, err = ceremony.FromAuthenticationResponse(a.protocol, text)
	return at(responsePointer, err)
}

// protocolOf is the protocol that was named, else the one that the response
// looks like: a UAF message is an array, a WebAuthn credential an object.
func protocolOf(named, response string) ceremony.Protocol {
	if named == protocolUAF11 || named == "" && strings.HasPrefix(strings.TrimSpace(response), "[") {
		return ceremony.UAF11
	}
	return ceremony.FIDO2
}

func fidoMethod(p ceremony.Protocol) string {
	if p == ceremony.UAF11 {
		return methodUAF
	}
	return methodFIDO2
}
