package conformance

import (
	"slices"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/uaf"
)

// uafDevice returns a UAF authenticator of the demo model.
func (c contract) uafDevice(t *T, change ...func(*softuaf.Options)) *softuaf.Authenticator {
	options := softuaf.Options{
		AAID: softuaf.DemoAAID, Version: softuaf.DemoVersion, Algorithm: uaf.AlgorithmP256DER, FacetID: c.Facet,
	}
	for _, one := range change {
		one(&options)
	}
	device, err := softuaf.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return device
}

// tampered returns the device's response to request with one change. Afterwards the
// device is as before, except for its counter.
func tampered(t *T, device *softuaf.Authenticator, how softuaf.Tamper, act func(string) (string, error), request string) string {
	device.Options.Tamper = how
	defer func() { device.Options.Tamper = softuaf.Tamper{} }()
	return answered(t, act, request)
}

// answered returns the device's response to request.
func answered(t *T, act func(string) (string, error), request string) string {
	response, err := act(request)
	if err != nil {
		t.Fatalf("the authenticator: %v", err)
	}
	return response
}

// beginUAF requests a registration request.
func (c contract) beginUAF(t *T, user string) string {
	out, err := c.client.GenerateFIDORegistrationRequest(t.Context(), user, platform.RegistrationRequestInput{FIDOProtocol: platform.UAF11})
	if err != nil {
		t.Fatalf("generate a registration request: %v", err)
	}
	if out.RequestID != "" || !succeeded(out.UAFStatusCode) {
		t.Errorf("requestID %q, UAF status %v", out.RequestID, out.UAFStatusCode)
	}
	return out.RegistrationRequest
}

// succeeded reports whether status is absent or OK.
func succeeded(status *platform.Number) bool {
	return status == nil || uaf.Status(*status) == uaf.StatusOK
}

// finishUAF sends a registration response.
func (c contract) finishUAF(t *T, user, response string) error {
	return failure(c.client.RegisterFIDODevice(t.Context(), user, platform.RegisterDeviceInput{
		FIDOProtocol: platform.UAF11, RegistrationResponse: response,
	}))
}

// registerUAF carries a registration through and returns the new authenticator.
func (c contract) registerUAF(t *T, device *softuaf.Authenticator) platform.Authenticator {
	before := c.list(t, c.User)
	if err := c.finishUAF(t, c.User, answered(t, device.Register, c.beginUAF(t, c.User))); err != nil {
		t.Fatalf("register: %v", err)
	}
	return c.added(t, before)
}

// challengeUAF requests an authentication request, which with a message is a transaction. Its
// requestID goes with the next responses.
func (c contract) challengeUAF(t *T, message string) string {
	out, err := c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, platform.AuthenticationRequestInput{
		FIDOProtocol: platform.UAF11, AuthenticationMessage: message,
	})
	if err != nil {
		t.Fatalf("generate an authentication request: %v", err)
	}
	if out.RequestID == "" || !succeeded(out.UAFStatusCode) {
		t.Errorf("requestID %q, UAF status %v", out.RequestID, out.UAFStatusCode)
	}
	*c.uafRequestID = out.RequestID
	return out.AuthenticationRequest
}

// signInUAF carries a sign-in through.
func (c contract) signInUAF(t *T, device *softuaf.Authenticator) {
	if err := c.loginUAF(t, c.User, answered(t, device.Authenticate, c.challengeUAF(t, ""))); err != nil {
		t.Errorf("sign in: %v", err)
	}
}

// loginUAF signs user in with the authenticator's response to the last request.
func (c contract) loginUAF(t *T, user, response string) error {
	return c.login(t, user, *c.uafRequestID, response)
}

// confirm sends the authenticator's response to a transaction.
func (c contract) confirm(t *T, user, response string) error {
	out, err := c.client.ValidateTransaction(t.Context(), user, platform.TransactionInput{
		Data: platform.TransactionData{FIDO: &platform.FIDOSignature{AuthenticationResponse: response, RequestID: *c.uafRequestID}},
	})
	if err == nil && out.SessionStatus != platform.StatusAccepted {
		t.Errorf("a confirmed transaction is %s", out.SessionStatus)
	}
	return err
}

// wantUAF adds a finding unless err has the row key and its UAF status code, if the
// platform gave one, is one of fit.
func wantUAF(t *T, what string, err error, key fault.Key, fit ...uaf.Status) {
	wantKey(t, what, err, key)
	if got := uaf.Status(fault.From(err).UAFStatusCode); err != nil && got != 0 && !slices.Contains(fit, got) {
		t.Errorf("%s: UAF status %d, want one of %d", what, got, fit)
	}
}
