package conformance

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/uaf"
)

func uafRegistration(t *T, c contract) {
	request := c.beginUAF(t, c.User)
	read, err := uaf.ParseRegistrationRequest(request)
	if err != nil {
		t.Fatalf("registrationRequest is not a UAF message: %v", err)
	}
	if !strings.HasPrefix(c.User, read.Username) || read.Header.ServerData == "" {
		t.Errorf("asked for %q with serverData %q", read.Username, read.Header.ServerData)
	}
	if again := c.beginUAF(t, c.User); strings.Contains(again, read.Challenge) {
		t.Error("a second request repeats the challenge of the first")
	}

	device := c.uafDevice(t)
	made := c.registerUAF(t, device)
	if made.Protocol != platform.UAF11 || made.Name == "" || made.AAID != "" && !device.Options.AAID.Equal(uaf.AAID(made.AAID)) {
		t.Errorf("listed as %+v", made)
	}
	if id := base64.RawURLEncoding.EncodeToString(device.Keys[0].ID); made.KeyID != "" && made.KeyID != id {
		t.Errorf("the key is %s, listed as %s", id, made.KeyID)
	}

	out, err := c.client.RemoveAuthenticator(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	if forgot, err := device.Deregister(out.DeregistrationRequest); err != nil || forgot != 1 {
		t.Errorf("deregistered %d keys: %v: %s", forgot, err, out.DeregistrationRequest)
	}
}

func uafAlgorithms(t *T, c contract) {
	for _, algorithm := range softuaf.Algorithms() {
		for _, format := range []uaf.KeyFormat{softuaf.DefaultKeyFormat(algorithm), softuaf.DefaultKeyFormat(algorithm) + 1} {
			t.Run(softuaf.AlgorithmName(algorithm)+" "+softuaf.KeyFormatName(format), func(t *T) {
				device := c.uafDevice(t, func(o *softuaf.Options) { o.Algorithm, o.KeyFormat = algorithm, format })
				made := c.registerUAF(t, device)
				c.signInUAF(t, device)
				c.remove(t, made)
			})
		}
	}
}

func uafExclusion(t *T, c contract) {
	device := c.uafDevice(t)
	defer c.remove(t, c.registerUAF(t, device))
	request := c.beginUAF(t, c.User)
	if _, err := device.Register(request); !errors.Is(err, softuaf.ErrNotAllowed) {
		t.Errorf("a second key on one authenticator: %v", err)
	}
	// This authenticator ignores the policy.
	careless := c.uafDevice(t)
	response := tampered(t, careless, softuaf.Tamper{Signed: signing(uaf.TagKeyID, device.Keys[0].ID)}, careless.Register, request)
	wantUAF(t, "a key that is registered already", c.finishUAF(t, c.User, response), fault.CeremonyRefused,
		uaf.StatusUnacceptableAuthenticator, uaf.StatusUnacceptableKey, uaf.StatusUnacceptableContent)
	// Another authenticator can be registered, and this one for another person.
	c.remove(t, c.registerUAF(t, c.uafDevice(t)))
	if _, err := device.Register(c.beginUAF(t, c.Other)); err != nil {
		t.Errorf("for another person: %v", err)
	}
}

// signing returns a tampering that makes the authenticator sign value as the value of
// tag.
func signing(tag uaf.Tag, value []byte) func(*uaf.Element) {
	return func(signed *uaf.Element) {
		for i := range signed.Children {
			if signed.Children[i].Tag == tag {
				signed.Children[i].Value = slices.Clone(value)
			}
		}
	}
}

const anotherChallenge = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// tamperedResponses are responses that a platform must refuse, with the fitting UAF
// status codes.
var tamperedResponses = map[string]struct {
	how softuaf.Tamper
	fit []uaf.Status
}{
	"another challenge": {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.Challenge = anotherChallenge }}, []uaf.Status{uaf.StatusRequestInvalid}},
	"another facet":     {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.FacetID = "https://evil.example" }}, []uaf.Status{uaf.StatusUnacceptableContent, uaf.StatusForbidden}},
	"another appID":     {softuaf.Tamper{Params: func(p *uaf.FinalChallengeParams) { p.AppID = "https://evil.example" }}, []uaf.Status{uaf.StatusUnacceptableContent, uaf.StatusForbidden}},
	"another serverData": {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.ServerData = strings.Repeat("A", 60) }},
		[]uaf.Status{uaf.StatusRequestInvalid, uaf.StatusUnacceptableContent}},
	"fcParams changed after they were signed": {softuaf.Tamper{ParamsText: otherParams}, []uaf.Status{uaf.StatusUnacceptableContent}},
	"another signature":                       {softuaf.Tamper{Signature: flip}, []uaf.Status{uaf.StatusUnacceptableContent, uaf.StatusUnacceptableAttestation}},
	"half of the assertion":                   {softuaf.Tamper{Encoded: func(b []byte) []byte { return b[:len(b)/2] }}, []uaf.Status{uaf.StatusUnacceptableContent}},
	"an unknown model": {softuaf.Tamper{Signed: signing(uaf.TagAAID, []byte("0000#0000"))},
		[]uaf.Status{uaf.StatusUnknownAAID, uaf.StatusUnknownKeyID, uaf.StatusUnacceptableAuthenticator}},
}

// otherParams encodes the same parameters differently.
func otherParams(text string) string {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(plain, ' '))
}

func refusedUAFRegistrations(t *T, c contract) {
	device := c.uafDevice(t)
	response := answered(t, device.Register, c.beginUAF(t, c.User))
	wantUAF(t, "for another person", c.finishUAF(t, c.Other, response), fault.CeremonyRefused, uaf.StatusRequestInvalid)
	for name, one := range tamperedResponses {
		device := c.uafDevice(t)
		response := tampered(t, device, one.how, device.Register, c.beginUAF(t, c.User))
		wantUAF(t, name, c.finishUAF(t, c.User, response), fault.CeremonyRefused, one.fit...)
	}
	for name, text := range map[string]string{"half of it": response[:len(response)/2], "nothing of it": "[]", "no message": "{}"} {
		wantUAF(t, name, c.finishUAF(t, c.User, text), fault.CeremonyRefused, uaf.StatusBadRequest, uaf.StatusUnacceptableContent)
	}
	if list := c.list(t, c.User); len(list) > 0 {
		t.Fatalf("registered all the same: %+v", list)
	}

	device = c.uafDevice(t)
	response = answered(t, device.Register, c.beginUAF(t, c.User))
	if err := c.finishUAF(t, c.User, response); err != nil {
		t.Fatal(err)
	}
	defer c.remove(t, c.added(t, nil))
	wantUAF(t, "a second time", c.finishUAF(t, c.User, response), fault.CeremonyRefused, uaf.StatusRequestInvalid)
	_, err := c.client.Login(t.Context(), c.User, platform.LoginInput{
		Credentials: &platform.Credentials{FIDOAuthenticator: &platform.FIDOCredential{AuthenticationResponse: response}},
	})
	wantUAF(t, "as a sign-in", err, fault.SignInRefused, uaf.StatusRequestInvalid, uaf.StatusUnacceptableContent)
}
