package conformance

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
)

// requestOptions are the members of an authentication request that the cases check.
type requestOptions struct {
	Challenge        string `json:"challenge"`
	RPID             string `json:"rpId"`
	UserVerification string `json:"userVerification"`
	AllowCredentials []struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"allowCredentials"`
}

func optionsOf(t *T, request platform.AuthenticationRequestOutput) (o requestOptions) {
	if err := json.Unmarshal([]byte(request.AuthenticationRequest), &o); err != nil {
		t.Fatalf("authenticationRequest is not the JSON of request options: %v", err)
	}
	return o
}

func passkey(t *T, c contract) {
	device := c.device()
	made := c.register(t, device, platform.RegistrationRequestInput{})
	defer c.remove(t, made)
	request := c.challenge(t)
	options := optionsOf(t, request)
	if err := uuid.Validate(request.RequestID); err != nil {
		t.Errorf("requestID %q: %v", request.RequestID, err)
	}
	if len(options.AllowCredentials) != 1 || options.AllowCredentials[0].Type != "public-key" {
		t.Errorf("options %+v", options)
	}
	c.signIn(t, device)
	c.signIn(t, device)
	list := c.list(t, c.User)
	if len(list) != 1 || list[0].LastUsedAt.IsZero() || list[0].LastUsedAt.Before(list[0].CreatedAt) || !list[0].CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("listed as %+v", list)
	}
}

func userVerification(t *T, c contract) {
	device := c.device()
	defer c.remove(t, c.register(t, device, platform.RegistrationRequestInput{}))
	for _, want := range []string{"required", "preferred", "discouraged"} {
		request, err := c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, platform.AuthenticationRequestInput{
			FIDOProtocol: platform.FIDO2, UserVerification: want,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := optionsOf(t, request).UserVerification; got != want {
			t.Errorf("asked for %s, got %s", want, got)
		}
		response := sign(t, device.With(authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Flags &^= userVerified }}), request.AuthenticationRequest)
		if err := c.login(t, c.User, request.RequestID, response); (err != nil) != (want == "required") {
			t.Errorf("unverified although %s: %v", want, err)
		}
	}
}

// userVerified is the flag of that name in authenticator data (Web
// Authentication, section 6.1).
const userVerified = 1 << 2

func refusedSignIns(t *T, c contract) {
	device := c.device()
	defer c.remove(t, c.register(t, device, platform.RegistrationRequestInput{}))
	request, another := c.challenge(t), c.challenge(t)
	response := sign(t, device, request.AuthenticationRequest)
	wantKey(t, "under an unknown requestID", c.login(t, c.User, unknownRequestID(request.RequestID), response), fault.SignInRefused)
	wantKey(t, "under another request", c.login(t, c.User, another.RequestID, response), fault.SignInRefused)
	if err := c.login(t, c.User, request.RequestID, response); err != nil {
		t.Fatalf("as it should be: %v", err)
	}
	wantKey(t, "a second time", c.login(t, c.User, request.RequestID, response), fault.SignInRefused)
	request = c.challenge(t)
	wantKey(t, "for another person", c.login(t, c.Other, request.RequestID, sign(t, device, request.AuthenticationRequest)), fault.SignInRefused)

	broken := map[string]authenticator.Tampering{
		"another challenge": {ClientData: func(d *authenticator.ClientData) { d.Challenge = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }},
		"another type":      {ClientData: func(d *authenticator.ClientData) { d.Type = "webauthn.create" }},
		"another origin":    {ClientData: func(d *authenticator.ClientData) { d.Origin = "https://evil.example" }},
		"another signature": {Signature: flip},
		"half of it":        {JSON: func(b []byte) []byte { return b[:len(b)/2] }},
	}
	for name, tampering := range broken {
		request := c.challenge(t)
		wantKey(t, name, c.login(t, c.User, request.RequestID, sign(t, device.With(tampering), request.AuthenticationRequest)), fault.SignInRefused)
	}
	c.signIn(t, device)
}

func noPasskey(t *T, c contract) {
	wantExact(t, "before", failure(c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, byPasskey)), fault.AuthenticationNoAuthenticator)
	device := c.device()
	made := c.register(t, device, platform.RegistrationRequestInput{})
	request := c.challenge(t)
	c.remove(t, made)
	wantKey(t, "with one removed meanwhile", c.login(t, c.User, request.RequestID, sign(t, device, request.AuthenticationRequest)), fault.SignInRefused)
	wantExact(t, "after", failure(c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, byPasskey)), fault.AuthenticationNoAuthenticator)
}

func rename(t *T, c contract) {
	made := c.register(t, c.device(), platform.RegistrationRequestInput{})
	defer c.remove(t, made)
	for _, name := range []string{"Blue key", "Schlüssel \"2\" <é> 🔑"} {
		if err := c.client.RenameAuthenticator(t.Context(), made, name); err != nil {
			t.Fatal(err)
		}
		if list := c.list(t, c.User); len(list) != 1 || list[0].Name != name || list[0].ID != made.ID {
			t.Errorf("renamed to %q, listed as %+v", name, list)
		}
	}
	err := c.client.RenameAuthenticator(t.Context(), made, "")
	wantKey(t, "no name", err, fault.PlatformRefused)
}

func remove(t *T, c contract) {
	stays, goes := c.register(t, c.device(), platform.RegistrationRequestInput{}), c.register(t, c.device(), platform.RegistrationRequestInput{})
	defer c.remove(t, stays)
	out, err := c.client.RemoveAuthenticator(t.Context(), goes)
	if err != nil || out.DeregistrationRequest != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if list := c.list(t, c.User); !slices.Equal(list, []platform.Authenticator{stays}) {
		t.Errorf("left: %+v", list)
	}
	wantKey(t, "a second time", failure(c.client.RemoveAuthenticator(t.Context(), goes)), fault.AuthenticatorUnknown)
}

func unknownAuthenticator(t *T, c contract) {
	made := c.register(t, c.device(), platform.RegistrationRequestInput{})
	defer c.remove(t, made)
	unknown := platform.Unlisted(c.User, unknownID)
	_, err := c.client.RemoveAuthenticator(t.Context(), unknown)
	wantKey(t, "remove", err, fault.AuthenticatorUnknown)
	wantKey(t, "rename", c.client.RenameAuthenticator(t.Context(), unknown, "Blue key"), fault.AuthenticatorUnknown)
	// Another person's authenticator is not in the list.
	wantKey(t, "another's", failure(c.client.Authenticator(t.Context(), c.Other, made.ID)), fault.AuthenticatorUnknown)
}
