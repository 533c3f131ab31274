package platform_test

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

// options is a FIDO message with everything that re-encoding would change: order, white
// space, escapes, big numbers, characters that encoders like to escape.
const options = "{ \"challenge\" : \"AAEC\",\n\"rp\":{\"name\":\"<R&D> é \\u00e9\\/\"},\"timeout\":60000.0,\"n\":12345678901234567890 }"

func quoted(t *testing.T, s string) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRegistrationRequest_Payload(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		in   identityapi.RegistrationRequestInput
		want string
	}{
		{identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.UAF11}, `{"fidoProtocol":"UAF11"}`},
		{identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.FIDO2}, `{"fidoProtocol":"FIDO2"}`},
		{identityapi.RegistrationRequestInput{
			FIDOProtocol: identityapi.FIDO2, DisplayName: "Alice", Attestation: "direct",
			AuthenticatorSelection: &identityapi.AuthenticatorSelection{
				AuthenticatorAttachment: "platform", UserVerification: "required", RequireResidentKey: &yes,
			},
		}, `{"fidoProtocol":"FIDO2","displayName":"Alice","authenticatorSelection":{"authenticatorAttachment":"platform","userVerification":"required","requireResidentKey":true},"attestation":"direct"}`},
		{identityapi.RegistrationRequestInput{
			FIDOProtocol: identityapi.FIDO2, AuthenticatorSelection: &identityapi.AuthenticatorSelection{RequireResidentKey: &no},
		}, `{"fidoProtocol":"FIDO2","authenticatorSelection":{"requireResidentKey":false}}`},
	}
	for _, tt := range tests {
		c, p := says(t, http.StatusOK, `{"registrationRequest":"{}","requestID":"r"}`)
		if _, err := c.GenerateFIDORegistrationRequest(t.Context(), alice, tt.in); err != nil {
			t.Fatal(err)
		}
		if p.sent != tt.want {
			t.Errorf("sent %s\nwant %s", p.sent, tt.want)
		}
	}
}

func TestRegistrationRequest_Unchanged(t *testing.T) {
	c, _ := says(t, http.StatusOK, `{"uafStatusCode":null,"extra":1,"requestID":"registration:1","registrationRequest":`+quoted(t, options)+`}`)
	out, err := c.GenerateFIDORegistrationRequest(t.Context(), alice, identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.FIDO2})
	if err != nil {
		t.Fatal(err)
	}
	if out.RegistrationRequest != options {
		t.Errorf("got  %s\nwant %s", out.RegistrationRequest, options)
	}
	text, err := json.Marshal(out)
	if want := `{"registrationRequest":` + quoted(t, options) + `,"requestID":"registration:1","uafStatusCode":null}`; err != nil || string(text) != want {
		t.Errorf("our answer is %s, want %s: %v", text, want, err)
	}
}

func TestRegistrationRequest_UAF(t *testing.T) {
	c, _ := says(t, http.StatusOK, `{"registrationRequest":"[{}]","uafStatusCode":1200}`)
	out, err := c.GenerateFIDORegistrationRequest(t.Context(), alice, identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.UAF11})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(out)
	if want := `{"registrationRequest":"[{}]","uafStatusCode":1200}`; err != nil || string(text) != want {
		t.Errorf("our answer is %s, want %s: %v", text, want, err)
	}
	c, _ = says(t, http.StatusOK, `{"registrationRequest":null,"uafStatusCode":1403}`)
	_, err = c.GenerateFIDORegistrationRequest(t.Context(), alice, identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.UAF11})
	if !fault.Is(err, fault.PlatformFailed) || fault.From(err).UAFStatusCode != 1403 {
		t.Errorf("error = %v", err)
	}
}

func TestRegisterDevice_ResponseUnchanged(t *testing.T) {
	c, p := says(t, http.StatusOK, `{"uafStatusCode":null}`)
	out, err := c.RegisterFIDODevice(t.Context(), alice, identityapi.RegisterDeviceInput{
		FIDOProtocol: identityapi.FIDO2, RegistrationResponse: options, RequestID: "registration:1",
	})
	if err != nil || out.UAFStatusCode != nil {
		t.Errorf("%v, %v", out, err)
	}
	var sent map[string]string
	if err := json.Unmarshal([]byte(p.sent), &sent); err != nil {
		t.Fatal(err)
	}
	if sent["registrationResponse"] != options || sent["requestID"] != "registration:1" || sent["fidoProtocol"] != "FIDO2" || len(sent) != 3 {
		t.Errorf("sent %s", p.sent)
	}
}

func TestRegisterDevice_Verdicts(t *testing.T) {
	tests := []struct {
		status  int
		body    string
		refused bool
		uaf     int
	}{
		{200, `{"uafStatusCode":null}`, false, 0},
		{200, `{"registrationID":"1"}`, false, 0},
		{200, ``, false, 0},
		{204, ``, false, 0},
		{200, `{"uafStatusCode":1200}`, false, 0},
		{200, `{"uafStatusCode":1202}`, false, 0},
		{200, `{"uafStatusCode":1491}`, true, 1491},
		{200, `{"uafStatusCode":"1496"}`, true, 1496},
		{409, `{"error":"Conflict","message":"UAF 1.1: x","uafStatusCode":1498}`, true, 1498},
		{409, `{"error":"Conflict","message":"UAF 1.1: x","uafStatusCode":"bad"}`, true, 0},
		{409, `conflict`, true, 0},
		{400, ``, true, 0},
	}
	for _, tt := range tests {
		c, _ := says(t, tt.status, tt.body)
		_, err := c.RegisterFIDODevice(t.Context(), alice, identityapi.RegisterDeviceInput{FIDOProtocol: identityapi.UAF11})
		if !tt.refused {
			if err != nil {
				t.Errorf("%d %s: %v", tt.status, tt.body, err)
			}
			continue
		}
		if !fault.Is(err, fault.CeremonyRefused) || fault.From(err).UAFStatusCode != tt.uaf {
			t.Errorf("%d %s: %v, UAF status %d", tt.status, tt.body, err, fault.From(err).UAFStatusCode)
		}
	}
}
