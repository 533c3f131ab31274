package conformance

import (
	"slices"
	"strings"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
)

// wantKey adds a finding unless err has the row key.
func wantKey(t *T, what string, err error, key fault.Key) {
	if !fault.Is(err, key) {
		t.Errorf("%s: %v, want %s", what, err, key)
	}
}

// wantExact adds a finding unless err's most exact row is key.
func wantExact(t *T, what string, err error, key fault.Key) {
	if err == nil || fault.From(err).MostSpecific().Key != key {
		t.Errorf("%s: %v, want exactly %s", what, err, key)
	}
}

// failure returns the error of a call whose answer does not matter.
func failure[O any](_ O, err error) error { return err }

// byPassword is a sign-in with a password.
func byPassword(password string) platform.LoginInput {
	return platform.LoginInput{Credentials: &platform.Credentials{PassKey: password}}
}

// byPasskey asks for an authentication request of FIDO2.
var byPasskey = platform.AuthenticationRequestInput{FIDOProtocol: platform.FIDO2}

// begin requests a registration request.
func (c contract) begin(t *T, user string, in platform.RegistrationRequestInput) platform.RegistrationRequestOutput {
	in.FIDOProtocol = platform.FIDO2
	out, err := c.client.GenerateFIDORegistrationRequest(t.Context(), user, in)
	if err != nil {
		t.Fatalf("generate a registration request: %v", err)
	}
	return out
}

func create(t *T, device *authenticator.FIDO2, request string) string {
	response, err := device.Create(request)
	if err != nil {
		t.Fatalf("create a credential: %v", err)
	}
	return response
}

// finish sends a registration response.
func (c contract) finish(t *T, user, requestID, response string) error {
	return failure(c.client.RegisterFIDODevice(t.Context(), user, platform.RegisterDeviceInput{
		FIDOProtocol: platform.FIDO2, RegistrationResponse: response, RequestID: requestID,
	}))
}

// register carries a registration through and returns the new authenticator,
// which the case removes.
func (c contract) register(t *T, device *authenticator.FIDO2, in platform.RegistrationRequestInput) platform.Authenticator {
	before := c.list(t, c.User)
	request := c.begin(t, c.User, in)
	if err := c.finish(t, c.User, request.RequestID, create(t, device, request.RegistrationRequest)); err != nil {
		t.Fatalf("register: %v", err)
	}
	return c.added(t, before)
}

// added returns the one authenticator of User that is not in before.
func (c contract) added(t *T, before []platform.Authenticator) platform.Authenticator {
	now := c.list(t, c.User)
	fresh := slices.DeleteFunc(now, func(a platform.Authenticator) bool {
		return slices.ContainsFunc(before, func(b platform.Authenticator) bool { return a.ID == b.ID })
	})
	if len(fresh) != 1 {
		t.Fatalf("%d new authenticators, want one", len(fresh))
	}
	return fresh[0]
}

func (c contract) remove(t *T, a platform.Authenticator) {
	if _, err := c.client.RemoveAuthenticator(t.Context(), a); err != nil {
		t.Errorf("remove %s: %v", a.ID, err)
	}
}

// challenge requests an authentication request.
func (c contract) challenge(t *T) platform.AuthenticationRequestOutput {
	out, err := c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, byPasskey)
	if err != nil {
		t.Fatalf("generate an authentication request: %v", err)
	}
	return out
}

func sign(t *T, device *authenticator.FIDO2, request string) string {
	response, err := device.Get(request)
	if err != nil {
		t.Fatalf("sign: %v", err)
	}
	return response
}

// login signs user in with an authenticator's response.
func (c contract) login(t *T, user, requestID, response string) error {
	out, err := c.client.Login(t.Context(), user, platform.LoginInput{
		RequestID:   requestID,
		Credentials: &platform.Credentials{FIDOAuthenticator: &platform.FIDOCredential{AuthenticationResponse: response}},
	})
	if err == nil && out.SessionStatus != platform.StatusAccepted {
		t.Errorf("a FIDO sign-in is %s", out.SessionStatus)
	}
	return err
}

// signIn carries a sign-in through.
func (c contract) signIn(t *T, device *authenticator.FIDO2) {
	request := c.challenge(t)
	if err := c.login(t, c.User, request.RequestID, sign(t, device, request.AuthenticationRequest)); err != nil {
		t.Errorf("sign in: %v", err)
	}
}

// flip changes one bit of a signature.
func flip(signature []byte) []byte {
	broken := slices.Clone(signature)
	broken[len(broken)-1] ^= 1
	return broken
}

// unknownRequestID returns a requestID of the same form that the platform did not issue.
func unknownRequestID(requestID string) string {
	if kind, _, prefixed := strings.Cut(requestID, ":"); prefixed {
		return kind + ":" + unknownID
	}
	return unknownID
}
