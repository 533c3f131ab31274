package sandbox_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/sandbox"
)

func TestRegistrationRequest_Defaults(t *testing.T) {
	p := start(t)
	for name, want := range map[string]struct {
		payload, expected object
	}{
		"nothing": {object{}, object{"authenticatorAttachment": "platform", "requireResidentKey": false, "residentKey": "preferred", "userVerification": "preferred"}},
		"a resident key": {object{"authenticatorSelection": object{"requireResidentKey": true}},
			object{"authenticatorAttachment": "platform", "requireResidentKey": true, "residentKey": "required", "userVerification": "preferred"}},
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
			same(t, "timeout", options["timeout"], float64(180000))
			for name, text := range map[string]any{"challenge": options["challenge"], "user.id": options["user"].(object)["id"]} {
				if b, err := base64.RawURLEncoding.DecodeString(text.(string)); err != nil || len(b) < 32 {
					t.Errorf("%s %q is no base64url of at least 32 bytes", name, text)
				}
			}
			same(t, "displayName", options["user"].(object)["displayName"], "Bob Baker")
		})
	}
}

func TestRegistration_FromAndroidApp(t *testing.T) {
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

func TestRegistration_CeremonyExpires(t *testing.T) {
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

func TestUserVerification_RequiredButMissing(t *testing.T) {
	p := start(t)
	required := object{"authenticatorSelection": object{"userVerification": "required"}}
	unverified := authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Flags &^= authenticator.FlagUserVerified }}
	requestID, response := p.create("alice@sandbox", browser().With(unverified), required)
	p.finish("alice@sandbox", requestID, response).refused(t, http.StatusConflict, notVerifiable)
}

func TestRegistration_UnreadableResponse(t *testing.T) {
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

// An authenticator may ignore the exclusion and offer the same credential again, for the
// same person and for another. Once it is deregistered, it is free again.
func TestRegistration_CredentialOfferedTwice(t *testing.T) {
	p := start(t)
	clone := sameCredential(browser())
	p.register("bob@sandbox", clone, nil)
	for _, user := range []string{"bob@sandbox", "alice@sandbox"} {
		requestID, response := p.create(user, clone, nil)
		p.finish(user, requestID, response).refused(t, http.StatusConflict, "The authenticator is already registered")
	}
	p.call(http.MethodDelete, "/fido-registrations/"+p.registrations("bob@sandbox")[0]["registrationID"].(string), nil)
	p.register("alice@sandbox", clone, nil)
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
