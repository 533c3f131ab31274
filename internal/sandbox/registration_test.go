package sandbox_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/sandbox"
)

func TestRegistrationRequestShape(t *testing.T) {
	p := start(t)
	a := p.post("/users/alice@sandbox/generate-fido-registration-request", object{
		"fidoProtocol": "FIDO2", "displayName": "Alice on the train", "attestation": "direct",
		"authenticatorSelection": object{"authenticatorAttachment": "platform", "userVerification": "required", "requireResidentKey": true},
	})
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.text)
	}
	if !bareUUID.MatchString(a.string("requestID")) {
		t.Errorf("requestID %q", a.string("requestID"))
	}
	if _, there := a.body["uafStatusCode"]; there {
		t.Errorf("uafStatusCode is for UAF: %s", a.text)
	}
	options := decode(t, a.string("registrationRequest"))
	rp, user, selection := options["rp"].(object), options["user"].(object), options["authenticatorSelection"].(object)
	same(t, "rp.id", rp["id"], "localhost")
	same(t, "user.name", user["name"], "alice@sandbox")
	same(t, "user.displayName", user["displayName"], "Alice on the train")
	same(t, "attestation", options["attestation"], "direct")
	same(t, "authenticatorAttachment", selection["authenticatorAttachment"], "platform")
	same(t, "userVerification", selection["userVerification"], "required")
	same(t, "requireResidentKey", selection["requireResidentKey"], true)
	same(t, "residentKey", selection["residentKey"], "required")
	same(t, "timeout", options["timeout"], float64(180000))
	for name, text := range map[string]any{"challenge": options["challenge"], "user.id": user["id"]} {
		if b, err := base64.RawURLEncoding.DecodeString(text.(string)); err != nil || len(b) < 32 {
			t.Errorf("%s %q is no base64url of at least 32 bytes", name, text)
		}
	}
	var algorithms []float64
	for _, parameter := range options["pubKeyCredParams"].([]any) {
		algorithms = append(algorithms, parameter.(object)["alg"].(float64))
	}
	for _, alg := range []float64{-7, -257, -8} {
		if !slices.Contains(algorithms, alg) {
			t.Errorf("algorithms %v lack %v", algorithms, alg)
		}
	}
	if _, wrapped := options["publicKey"]; wrapped {
		t.Error("the options are wrapped")
	}
}

func TestRegistrationRequestDefaults(t *testing.T) {
	p := start(t)
	for name, want := range map[string]struct {
		payload, expected object
	}{
		"nothing": {object{}, object{"authenticatorAttachment": "platform", "requireResidentKey": false, "residentKey": "preferred", "userVerification": "preferred"}},
		"no resident key": {object{"authenticatorSelection": object{"requireResidentKey": false}},
			object{"authenticatorAttachment": "platform", "requireResidentKey": false, "residentKey": "discouraged", "userVerification": "preferred"}},
		"a key": {object{"authenticatorSelection": object{"authenticatorAttachment": "cross-platform"}},
			object{"authenticatorAttachment": "cross-platform", "requireResidentKey": false, "residentKey": "preferred", "userVerification": "preferred"}},
	} {
		t.Run(name, func(t *testing.T) {
			want.payload["fidoProtocol"] = "FIDO2"
			a := p.post("/users/bob@sandbox/generate-fido-registration-request", want.payload)
			options := decode(t, a.string("registrationRequest"))
			got := options["authenticatorSelection"].(object)
			if len(got) != len(want.expected) {
				t.Errorf("selection %v, want %v", got, want.expected)
			}
			for member, value := range want.expected {
				same(t, member, got[member], value)
			}
			same(t, "attestation", options["attestation"], "none")
			same(t, "displayName", options["user"].(object)["displayName"], "Bob Baker")
		})
	}
}

// Every kind of key and attestation registers and signs in.
func TestRegisterAndSignIn(t *testing.T) {
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		for attestation, conveyance := range map[authenticator.Attestation]string{
			authenticator.None: "none", authenticator.Packed: "direct", authenticator.PackedBasic: "indirect",
		} {
			t.Run(string(algorithm)+" "+string(attestation), func(t *testing.T) {
				p := start(t)
				device := browser(func(o *authenticator.Options) { o.Algorithm, o.Attestation = algorithm, attestation })
				p.register("alice@sandbox", device, object{"attestation": conveyance})
				requestID, response := p.get("alice@sandbox", device, nil)
				a := p.signIn("alice@sandbox", requestID, response)
				if a.status != http.StatusOK || a.string("sessionStatus") != "accepted" {
					t.Fatalf("sign-in: %d %s", a.status, a.text)
				}
			})
		}
	}
}

func TestRegisterAnswer(t *testing.T) {
	p := start(t)
	requestID, response := p.create("alice@sandbox", browser(), nil)
	a := p.finish("alice@sandbox", requestID, response)
	if a.status != http.StatusOK || strings.TrimSpace(a.text) != `{}` {
		t.Errorf("%d %s", a.status, a.text)
	}
}

func TestRegisterFromAnApp(t *testing.T) {
	const app = "android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck"
	p := start(t, func(o *sandbox.Options) { o.RPOrigins = append(o.RPOrigins, app) })
	device := browser(func(o *authenticator.Options) { o.Origin = app })
	p.register("alice@sandbox", device, nil)
	requestID, response := p.get("alice@sandbox", device, nil)
	if a := p.signIn("alice@sandbox", requestID, response); a.status != http.StatusOK {
		t.Errorf("sign-in from the app: %d %s", a.status, a.text)
	}
	requestID, response = p.get("alice@sandbox", device.At(app+"x"), nil)
	p.signIn("alice@sandbox", requestID, response).refused(t, http.StatusConflict, "Authentication failed")
}

const (
	notStarted    = "Registration ceremony was not started"
	notVerifiable = "FIDO2: the registration response could not be verified"
)

func TestRegistrationCeremonyIsSpentOnce(t *testing.T) {
	p := start(t)
	requestID, response := p.create("alice@sandbox", browser(), nil)
	p.finish("bob@sandbox", requestID, response).refused(t, http.StatusConflict, notStarted)
	p.finish("alice@sandbox", "00000000-0000-4000-8000-000000000000", response).refused(t, http.StatusConflict, notStarted)
	if a := p.finish("alice@sandbox", requestID, response); a.status != http.StatusOK {
		t.Fatalf("after others have tried: %d %s", a.status, a.text)
	}
	p.finish("alice@sandbox", requestID, response).refused(t, http.StatusConflict, notStarted)

	requestID, _ = p.create("alice@sandbox", browser(), nil)
	_, other := p.create("alice@sandbox", browser(), nil)
	p.finish("alice@sandbox", requestID, other).refused(t, http.StatusConflict, notVerifiable)
	if n := len(p.registrations("alice@sandbox")); n != 1 {
		t.Errorf("%d registrations, want 1", n)
	}
}

func TestRegistrationCeremonyExpires(t *testing.T) {
	p := start(t)
	requestID, response := p.create("alice@sandbox", browser(), nil)
	p.advance("179s")
	late, lateResponse := p.create("alice@sandbox", browser(), nil)
	if a := p.finish("alice@sandbox", requestID, response); a.status != http.StatusOK {
		t.Fatalf("a second before its end: %d %s", a.status, a.text)
	}
	p.advance("180s")
	p.finish("alice@sandbox", late, lateResponse).refused(t, http.StatusConflict, notStarted)
}

func TestUserVerificationIsDemanded(t *testing.T) {
	p := start(t)
	required := object{"authenticatorSelection": object{"userVerification": "required"}}
	unverified := authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Flags &^= authenticator.FlagUserVerified }}
	device := browser()

	requestID, response := p.create("alice@sandbox", device.With(unverified), required)
	p.finish("alice@sandbox", requestID, response).refused(t, http.StatusConflict, notVerifiable)
	p.register("alice@sandbox", browser(), required)

	requestID, response = p.create("bob@sandbox", device.With(unverified), nil)
	if a := p.finish("bob@sandbox", requestID, response); a.status != http.StatusOK {
		t.Errorf("unverified where it was merely preferred: %d %s", a.status, a.text)
	}
	requestID, response = p.get("bob@sandbox", device.With(unverified), object{"userVerification": "required"})
	p.signIn("bob@sandbox", requestID, response).refused(t, http.StatusConflict, "Authentication failed")
}

func TestBrokenRegistrationsAreRefused(t *testing.T) {
	p := start(t)
	for name, tampering := range map[string]authenticator.Tampering{
		"another origin":    {ClientData: func(c *authenticator.ClientData) { c.Origin = "https://evil.example" }},
		"another type":      {ClientData: func(c *authenticator.ClientData) { c.Type = authenticator.TypeGet }},
		"another challenge": {ClientData: func(c *authenticator.ClientData) { c.Challenge = strings.Repeat("A", 43) }},
		"cross origin":      {ClientData: func(c *authenticator.ClientData) { c.CrossOrigin = true }},
		"another RP ID":     {AuthData: func(d *authenticator.AuthData) { d.RPID = "evil.example" }},
		"nobody present":    {AuthData: func(d *authenticator.AuthData) { d.Flags &^= authenticator.FlagUserPresent }},
		"broken signature": {Attestation: func(o map[string]any) {
			statement := o["attStmt"].(map[string]any)
			statement["sig"] = append([]byte{0}, statement["sig"].([]byte)...)
		}},
		"unknown format": {Attestation: func(o map[string]any) { o["fmt"] = "homemade" }},
	} {
		t.Run(name, func(t *testing.T) {
			device := browser(func(o *authenticator.Options) { o.Attestation = authenticator.Packed }).With(tampering)
			requestID, response := p.create("alice@sandbox", device, object{"attestation": "direct"})
			p.finish("alice@sandbox", requestID, response).refused(t, http.StatusConflict, notVerifiable)
		})
	}
	if n := len(p.registrations("alice@sandbox")); n != 0 {
		t.Errorf("%d registrations came of it", n)
	}
}

func TestUnreadableRegistrationsAreInvalid(t *testing.T) {
	p := start(t)
	requestID, response := p.create("alice@sandbox", browser(), nil)
	for name, text := range map[string]string{
		"no JSON": "x", "another thing": "{}", "cut": response[:len(response)/2], "trailing": response + "{}",
		"broken CBOR": strings.Replace(response, `"attestationObject":"o2`, `"attestationObject":"AA`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if text == response {
				t.Fatal("nothing was broken")
			}
			p.finish("alice@sandbox", requestID, text).invalid(t, "registrationResponse")
		})
	}
	if a := p.finish("alice@sandbox", requestID, response); a.status != http.StatusOK {
		t.Errorf("what cannot be read has spent the ceremony: %d %s", a.status, a.text)
	}
}

func TestOneCredentialIsRegisteredOnce(t *testing.T) {
	p := start(t)
	device := browser()
	p.register("alice@sandbox", device, nil)

	asked := p.post("/users/alice@sandbox/generate-fido-registration-request", object{"fidoProtocol": "FIDO2"})
	if _, err := device.Create(asked.string("registrationRequest")); err == nil {
		t.Error("excludeCredentials did not name the credential")
	}

	// An authenticator may ignore the exclusion and offer the same credential again, for
	// the same person and for another.
	clone := sameCredential(browser())
	p.register("bob@sandbox", clone, nil)
	for _, user := range []string{"bob@sandbox", "alice@sandbox"} {
		requestID, response := p.create(user, clone, nil)
		p.finish(user, requestID, response).refused(t, http.StatusConflict, "The authenticator is already registered")
	}
}

// sameCredential makes an authenticator that always registers the same credential id.
func sameCredential(device *authenticator.FIDO2) *authenticator.FIDO2 {
	id := []byte("one and the same credential id")
	return device.With(authenticator.Tampering{
		AuthData: func(d *authenticator.AuthData) { d.Attested.ID = id },
		Credential: func(c map[string]any) {
			c["id"] = base64.RawURLEncoding.EncodeToString(id)
			c["rawId"] = c["id"]
		},
	})
}

func decode(t *testing.T, text string) object {
	t.Helper()
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%q is no JSON object: %v", text, err)
	}
	return o
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
