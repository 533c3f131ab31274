package identity

import (
	"slices"
	"strings"

	"countersign/internal/ceremony"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/signin"
)

const responsePointer = "/credentials/fidoAuthenticator/authenticationResponse"

// loginPayload reads the platform's LoginInput (docs/platform.md I5). Whatever was sent,
// Countersign sets objectType, clientIP and timeout. Unknown members are not passed on,
// since what the platform would do with them was never examined; nor are the members of
// risk analytics where the installation has none.
func (h SignIn) loginPayload(body payload.Object) (a signin.Attempt, err error) {
	in := &a.Input
	in.RequestID = requestID(body)
	in.OrchestrationDelivery = deliveries(body)
	in.CDDC = deviceData(body)
	in.LoginMessage = loginMessage(body)
	if h.Adaptive {
		adaptive(body, in)
	}
	if credentials, ok := body.Object("credentials"); ok {
		readCredential(credentials, &a)
	}
	if len(in.OrchestrationDelivery) > 0 && (a.Method == "" || a.Method == signin.MethodPassword && isPushWord(in.Credentials.PassKey)) {
		a.Method = signin.MethodPush
	}
	if a.Method == "" && body.Err() == nil {
		body.Note("credentials", "field.credentials")
	}
	if err := body.Err(); err != nil {
		return a, err
	}
	a.Response, err = readResponse(a)
	return a, at(responsePointer, err)
}

// deliveries reads where a push goes, each place once.
func deliveries(body payload.Object) (all []string) {
	for _, one := range body.Choices("orchestrationDelivery", "pushNotification", "requestMessage") {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// readResponse parses the authenticator's response, so that a malformed one spends no
// ceremony.
func readResponse(a signin.Attempt) (*ceremony.Response, error) {
	switch a.Method {
	case signin.MethodFIDO2:
		return ceremony.FromAuthenticationResponse(ceremony.FIDO2, a.Input.Credentials.FIDOAuthenticator.AuthenticationResponse)
	case signin.MethodUAF:
		return ceremony.FromAuthenticationResponse(ceremony.UAF11, a.Input.Credentials.FIDOAuthenticator.AuthenticationResponse)
	}
	return nil, nil
}

// readCredential reads the credential, of which there may be one.
func readCredential(credentials payload.Object, a *signin.Attempt) {
	out := &platform.Credentials{}
	var methods []string
	if passKey, ok := credentials.Between("passKey", 1, maxPassword, "field.password"); ok {
		out.PassKey = passKey
		methods = append(methods, signin.MethodPassword)
	}
	otp, ok := credentials.Object("authenticator")
	if ok {
		out.Authenticator = &platform.OTPCredential{OTP: otp.Required("OTP")}
		methods = append(methods, signin.MethodOTP)
	}
	if fido, ok := credentials.Object("fidoAuthenticator"); ok {
		response := fido.Required("authenticationResponse")
		protocol, _ := fido.Text("fidoProtocol", platform.UAF11, platform.FIDO2)
		out.FIDOAuthenticator = &platform.FIDOCredential{AuthenticationResponse: response, ChannelBinding: channelBinding(fido)}
		methods = append(methods, fidoMethod(protocol, response))
	}
	if len(methods) > 1 {
		credentials.NoteSelf("field.credentials")
		return
	}
	if out.Authenticator != nil {
		otpBounds(otp, out.Authenticator)
	}
	if len(methods) == 1 {
		a.Method, a.Input.Credentials = methods[0], out
	}
}

// isPushWord reports whether a client asks for a push in the platform's own form.
func isPushWord(passKey string) bool {
	_, ok := platform.PushWord(passKey)
	return ok
}

// fidoMethod returns the method for the named protocol, or else for the look of the
// response: a UAF message is an array, a WebAuthn credential an object.
func fidoMethod(protocol, response string) string {
	if protocol == platform.UAF11 || protocol == "" && strings.HasPrefix(strings.TrimSpace(response), "[") {
		return signin.MethodUAF
	}
	return signin.MethodFIDO2
}
