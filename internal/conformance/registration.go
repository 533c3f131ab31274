package conformance

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
)

func registration(t *T, c contract) {
	request := c.begin(t, c.User, platform.RegistrationRequestInput{})
	if uuid.Validate(request.RequestID) != nil || request.UAFStatusCode != nil {
		t.Errorf("requestID %q, uafStatusCode %v", request.RequestID, request.UAFStatusCode)
	}
	if list := c.list(t, c.User); len(list) > 0 {
		t.Errorf("asking alone registered %v", list)
	}
	made := c.register(t, c.device(func(o *authenticator.Options) {
		o.AAGUID, o.Attestation = [16]byte{0xea, 0x9b, 0x8d, 0x66}, authenticator.Packed
	}), platform.RegistrationRequestInput{Attestation: "direct"})
	defer c.remove(t, made)
	if made.Protocol != platform.FIDO2 || made.Name == "" || made.CreatedAt.IsZero() || !made.LastUsedAt.IsZero() {
		t.Errorf("listed as %+v", made)
	}
	if made.AAGUID != "ea9b8d66-0000-0000-0000-000000000000" || made.AAID != "" || made.KeyID != "" {
		t.Errorf("listed as %+v", made)
	}
}

func algorithms(t *T, c contract) {
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		t.Run(string(algorithm), func(t *T) {
			device := c.device(func(o *authenticator.Options) { o.Algorithm = algorithm })
			defer c.remove(t, c.register(t, device, platform.RegistrationRequestInput{}))
			c.signIn(t, device)
		})
	}
}

// conditionalCreate asks whether a passkey is taken whose response says neither that its person
// was present nor that they were verified, and that signs in nevertheless (docs/platform.md I15).
func conditionalCreate(t *T, c contract) {
	before := c.list(t, c.User)
	device := c.device(func(*authenticator.Options) {})
	request := c.begin(t, c.User, platform.RegistrationRequestInput{})
	response := create(t, device.With(authenticator.Tampering{AuthData: func(d *authenticator.AuthData) {
		d.Flags &^= authenticator.FlagUserPresent | authenticator.FlagUserVerified
	}}), request.RegistrationRequest)
	if err := c.finish(t, c.User, request.RequestID, response); err != nil {
		t.Errorf("register a passkey without user presence: %v: leave CONDITIONAL_CREATE off", err)
		return
	}
	defer c.remove(t, c.added(t, before))
	c.signIn(t, device)
}

func attestation(t *T, c contract) {
	for _, given := range []authenticator.Attestation{authenticator.None, authenticator.Packed} {
		for _, asked := range []string{"", "none", "indirect", "direct"} {
			device := c.device(func(o *authenticator.Options) { o.Attestation = given })
			c.remove(t, c.register(t, device, platform.RegistrationRequestInput{Attestation: asked}))
		}
	}
}

// creationOptions are the members of a registration request that the payload determines.
type creationOptions struct {
	RP struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		Name        string `json:"name"`
		DisplayName string `json:"displayName"`
	} `json:"user"`
	Challenge              string                          `json:"challenge"`
	Attestation            string                          `json:"attestation"`
	AuthenticatorSelection platform.AuthenticatorSelection `json:"authenticatorSelection"`
}

func creationOptionsOf(t *T, request platform.RegistrationRequestOutput) (o creationOptions) {
	if err := json.Unmarshal([]byte(request.RegistrationRequest), &o); err != nil {
		t.Fatalf("registrationRequest is not the JSON of creation options: %v", err)
	}
	return o
}

func payloadHonoured(t *T, c contract) {
	required := true
	request := c.begin(t, c.User, platform.RegistrationRequestInput{
		DisplayName: "Ada <Ω> \"Lovelace\"", Attestation: "direct",
		AuthenticatorSelection: &platform.AuthenticatorSelection{
			AuthenticatorAttachment: "cross-platform", UserVerification: "required", RequireResidentKey: &required,
		},
	})
	got := creationOptionsOf(t, request)
	if got.User.DisplayName != "Ada <Ω> \"Lovelace\"" || got.User.Name != c.User || got.Attestation != "direct" {
		t.Errorf("options say %+v", got)
	}
	selection := got.AuthenticatorSelection
	if selection.AuthenticatorAttachment != "cross-platform" || selection.UserVerification != "required" ||
		selection.RequireResidentKey == nil || !*selection.RequireResidentKey {
		t.Errorf("options select %+v", selection)
	}
	if again := c.begin(t, c.User, platform.RegistrationRequestInput{}); again.RequestID == request.RequestID ||
		strings.Contains(again.RegistrationRequest, got.Challenge) {
		t.Error("a second request repeats the first")
	}
}

func exclusion(t *T, c contract) {
	device := c.device()
	defer c.remove(t, c.register(t, device, platform.RegistrationRequestInput{}))
	request := c.begin(t, c.User, platform.RegistrationRequestInput{})
	if _, err := device.Create(request.RegistrationRequest); !errors.Is(err, authenticator.ErrExcluded) {
		t.Errorf("a second credential on one authenticator: %v", err)
	}
	// Another authenticator can be registered, and this one for another person.
	c.remove(t, c.register(t, c.device(), platform.RegistrationRequestInput{}))
	if _, err := device.Create(c.begin(t, c.Other, platform.RegistrationRequestInput{}).RegistrationRequest); err != nil {
		t.Errorf("for another person: %v", err)
	}
}

func twoRegistrations(t *T, c contract) {
	one, two := c.begin(t, c.User, platform.RegistrationRequestInput{}), c.begin(t, c.User, platform.RegistrationRequestInput{})
	for _, request := range []platform.RegistrationRequestOutput{two, one} {
		before := c.list(t, c.User)
		if err := c.finish(t, c.User, request.RequestID, create(t, c.device(), request.RegistrationRequest)); err != nil {
			t.Fatal(err)
		}
		defer c.remove(t, c.added(t, before))
	}
}

func refusedRegistrations(t *T, c contract) {
	request, another := c.begin(t, c.User, platform.RegistrationRequestInput{}), c.begin(t, c.User, platform.RegistrationRequestInput{})
	response := create(t, c.device(), request.RegistrationRequest)
	wantKey(t, "under an unknown requestID", c.finish(t, c.User, unknownRequestID(request.RequestID), response), fault.CeremonyRefused)
	wantKey(t, "for another person", c.finish(t, c.Other, c.begin(t, c.Other, platform.RegistrationRequestInput{}).RequestID, response), fault.CeremonyRefused)
	wantKey(t, "under another request", c.finish(t, c.User, another.RequestID, response), fault.CeremonyRefused)
	wantKey(t, "under another kind of request", c.finish(t, c.User, "authentication:"+strings.TrimPrefix(request.RequestID, "registration:"), response), fault.CeremonyRefused)

	broken := map[string]authenticator.Tampering{
		"another challenge": {ClientData: func(d *authenticator.ClientData) { d.Challenge = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }},
		"another type":      {ClientData: func(d *authenticator.ClientData) { d.Type = "webauthn.get" }},
		"another origin":    {ClientData: func(d *authenticator.ClientData) { d.Origin = "https://evil.example" }},
		"half of it":        {JSON: func(b []byte) []byte { return b[:len(b)/2] }},
		"nothing of it":     {JSON: func([]byte) []byte { return []byte("{}") }},
	}
	for name, tampering := range broken {
		request := c.begin(t, c.User, platform.RegistrationRequestInput{})
		wantKey(t, name, c.finish(t, c.User, request.RequestID, create(t, c.device().With(tampering), request.RegistrationRequest)), fault.CeremonyRefused)
	}
	if list := c.list(t, c.User); len(list) > 0 {
		t.Fatalf("registered all the same: %+v", list)
	}

	request = c.begin(t, c.User, platform.RegistrationRequestInput{})
	response = create(t, c.device(), request.RegistrationRequest)
	if err := c.finish(t, c.User, request.RequestID, response); err != nil {
		t.Fatal(err)
	}
	defer c.remove(t, c.added(t, nil))
	wantKey(t, "a second time", c.finish(t, c.User, request.RequestID, response), fault.CeremonyRefused)
	wantKey(t, "a second time, under a new request", c.finish(t, c.User, c.begin(t, c.User, platform.RegistrationRequestInput{}).RequestID, response), fault.CeremonyRefused)
}

func refusedPayloads(t *T, c contract) {
	for name, in := range map[string]platform.RegistrationRequestInput{
		"no protocol":                   {},
		"another protocol":              {FIDOProtocol: "U2F"},
		"a display name with UAF":       {FIDOProtocol: platform.UAF11, DisplayName: "Ada"},
		"an attestation with UAF":       {FIDOProtocol: platform.UAF11, Attestation: "none"},
		"a selection with UAF":          {FIDOProtocol: platform.UAF11, AuthenticatorSelection: &platform.AuthenticatorSelection{UserVerification: "required"}},
		"another attestation":           {FIDOProtocol: platform.FIDO2, Attestation: "enterprise"},
		"another user verification":     {FIDOProtocol: platform.FIDO2, AuthenticatorSelection: &platform.AuthenticatorSelection{UserVerification: "always"}},
		"another kind of authenticator": {FIDOProtocol: platform.FIDO2, AuthenticatorSelection: &platform.AuthenticatorSelection{AuthenticatorAttachment: "implant"}},
	} {
		wantKey(t, name, failure(c.client.GenerateFIDORegistrationRequest(t.Context(), c.User, in)), fault.PlatformRefused)
	}
}
