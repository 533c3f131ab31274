package signin_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/identity/platform"
	"countersign/internal/ratelimit"
	"countersign/internal/signin"
	"countersign/internal/uaf"
	"countersign/session"
)

func limit(t testing.TB, text string) ratelimit.Limit {
	t.Helper()
	l, err := ratelimit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// at returns a client without a session, at an address.
func at(address string) signin.Client {
	return signin.Client{Client: session.Client{Address: address, UserAgent: "test"}, Bearer: true}
}

func password(user, text string) signin.Attempt {
	return signin.Attempt{
		User: user, Method: signin.MethodPassword,
		Input: platform.LoginInput{Credentials: &platform.Credentials{PassKey: text}},
	}
}

func push(user string) signin.Attempt {
	return signin.Attempt{
		User: user, Method: signin.MethodPush,
		Input: platform.LoginInput{OrchestrationDelivery: []string{"pushNotification"}},
	}
}

// passkey returns a FIDO2 authenticator that user has registered.
func (h *environment) passkey(user string) *authenticator.FIDO2 {
	h.t.Helper()
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, UserVerifying: true, Platform: true})
	out, err := h.identity.GenerateFIDORegistrationRequest(h.t.Context(), user, platform.RegistrationRequestInput{FIDOProtocol: "FIDO2"})
	if err != nil {
		h.t.Fatal(err)
	}
	text, err := a.Create(out.RegistrationRequest)
	if err != nil {
		h.t.Fatal(err)
	}
	h.register(user, platform.RegisterDeviceInput{FIDOProtocol: "FIDO2", RequestID: out.RequestID, RegistrationResponse: text})
	return a
}

// phone returns a UAF authenticator that user has registered.
func (h *environment) phone(user string) *softuaf.Authenticator {
	h.t.Helper()
	a, err := softuaf.New(softuaf.Options{AAID: softuaf.DemoAAID, Version: softuaf.DemoVersion, Algorithm: uaf.AlgorithmP256DER, FacetID: origin})
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := h.identity.GenerateFIDORegistrationRequest(h.t.Context(), user, platform.RegistrationRequestInput{FIDOProtocol: "UAF11"})
	if err != nil {
		h.t.Fatal(err)
	}
	text, err := a.Register(out.RegistrationRequest)
	if err != nil {
		h.t.Fatal(err)
	}
	h.register(user, platform.RegisterDeviceInput{FIDOProtocol: "UAF11", RegistrationResponse: text})
	return a
}

func (h *environment) register(user string, in platform.RegisterDeviceInput) {
	h.t.Helper()
	if _, err := h.identity.RegisterFIDODevice(h.t.Context(), user, in); err != nil {
		h.t.Fatal(err)
	}
}

// answered returns an attempt with an authenticator's response.
func (h *environment) answered(user string, p ceremony.Protocol, text string) signin.Attempt {
	h.t.Helper()
	method := signin.MethodFIDO2
	if p == ceremony.UAF11 {
		method = signin.MethodUAF
	}
	r, err := ceremony.FromAuthenticationResponse(p, text)
	if err != nil {
		h.t.Fatalf("%s: %v", text, err)
	}
	return signin.Attempt{
		User: user, Method: method, Response: r,
		Input: platform.LoginInput{Credentials: &platform.Credentials{FIDOAuthenticator: &platform.FIDOCredential{AuthenticationResponse: text}}},
	}
}

// poll polls until the platform has been asked, which happens once a second.
func (h *environment) poll(ctx context.Context, c signin.Client, id string) (signin.Result, error) {
	h.t.Helper()
	h.calls("")
	for {
		result, err := h.Poll(ctx, c, id)
		if err != nil || h.calls("/sessions/") > 0 {
			return result, err
		}
		select {
		case <-ctx.Done():
			h.t.Fatal("the platform is never asked")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
