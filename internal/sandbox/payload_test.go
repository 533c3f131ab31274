package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
)

// The payload rules of part 4.3, one by one: each line of the file has a call, the fields
// that its refusal names, - for none, and the payload.
func TestPayload_Rules(t *testing.T) {
	p := start(t, withUAF(t))
	for line := range strings.Lines(read(t, "testdata/payloads.tsv")) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		path := "/users/alice@sandbox/" + cells[0]
		if cells[0] == "register" {
			path = "/users/register"
		}
		t.Run(cells[0]+" "+cells[2], func(t *testing.T) {
			a := p.post(path, cells[2])
			if cells[1] != "-" {
				a.invalid(t, strings.Split(cells[1], " ")...)
			} else if a.status != http.StatusOK {
				t.Errorf("%d %s", a.status, a.text)
			}
		})
	}
}

// Members that real clients send and the sandbox ignores.
func TestLogin_IgnoresRiskData(t *testing.T) {
	p := start(t)
	a := p.post("/users/alice@sandbox/login", `{"objectType":"LoginInput","clientIP":"192.0.2.1","timeout":0,
		"cddc":{"browserCDDC":{"fingerprintRaw":{},"fingerprintHash":"y"}},"appLanguage":"de","cookieID":"c",
		"loginMessage":{"title":{"text":"t","more":1},"more":{}},"credentials":{"passKey":"Sandbox-1!"}}`)
	same(t, "LoginInput", a.status, http.StatusOK)
	a = p.post("/users/alice@sandbox/login", `{"objectType":"AdaptiveLoginInput","cddc":{"mobileCDDC":{}},"relationshipRef":"r","sessionID":"0aF1","applicationRef":"a",
		"credentials":{"passKey":"Sandbox-1!"}}`)
	same(t, "AdaptiveLoginInput", a.status, http.StatusOK)
	// Nobody has a device that makes one-time passwords.
	p.post("/users/alice@sandbox/login", `{"objectType":"LoginInput","credentials":{"authenticator":{"OTP":"123456"}}}`).
		refused(t, http.StatusConflict, "No authenticators available")
}

// Without an appID UAF is refused.
func TestUAF_RefusedWithoutAppID(t *testing.T) {
	p := start(t)
	const notServed = "fidoProtocol UAF11 is not served: the sandbox has no appID and facets"
	for path, payload := range map[string]string{
		"generate-fido-registration-request":   `{"fidoProtocol":"UAF11"}`,
		"register-fido-device":                 `{"fidoProtocol":"UAF11","registrationResponse":"[]"}`,
		"generate-fido-authentication-request": `{"fidoProtocol":"UAF11","authenticationMessage":"Pay 5"}`,
		"login":                                `{"objectType":"LoginInput","credentials":{"fidoAuthenticator":{"authenticationResponse":" [{}]"}}}`,
		"transactions/validate":                `{"objectType":"TransactionValidationInput","data":{"fido":{"authenticationResponse":"[{}]","requestID":"42b3a6fe-143e-403c-ac3f-dec6345b6822"}}}`,
	} {
		p.post("/users/alice@sandbox/"+path, payload).refused(t, http.StatusBadRequest, notServed)
	}
}

func TestBody_NotJSON(t *testing.T) {
	p := start(t)
	r := p.request(http.MethodPost, "/users/alice@sandbox/login", `{"objectType":"LoginInput","credentials":{"passKey":"Sandbox-1!"}}`)
	r.Header.Set("Content-Type", "text/plain")
	p.send(r).refused(t, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	big := `{"fidoProtocol":"` + strings.Repeat("x", 1<<20) + `"}`
	p.post("/users/alice@sandbox/generate-fido-registration-request", big).refused(t, http.StatusRequestEntityTooLarge, "Request body is too large")
}

// Credentials that are missing are refused with another message than two kinds of them.
func TestLogin_CredentialsOfOneKind(t *testing.T) {
	p := start(t)
	for credentials, message := range map[string]string{
		`{}`: "is required",
		`{"passKey":"Sandbox-1!","authenticator":{"OTP":"123456"}}`: "must be of one kind",
	} {
		a := p.post("/users/alice@sandbox/login", `{"objectType":"LoginInput","credentials":`+credentials+`}`)
		a.invalid(t, "credentials")
		if !strings.Contains(a.text, `"message":"`+message+`"`) {
			t.Errorf("%s: %s", credentials, a.text)
		}
	}
}
