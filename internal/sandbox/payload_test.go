package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
)

// The payload rules of part 4.3, one by one.
func TestRegistrationRequestPayloads(t *testing.T) {
	p := start(t)
	for payload, fields := range map[string]string{
		`{}`:                       "fidoProtocol",
		`null`:                     "",
		`{"fidoProtocol":null}`:    "fidoProtocol",
		`{"fidoProtocol":""}`:      "fidoProtocol",
		`{"fidoProtocol":"fido2"}`: "fidoProtocol",
		`{"fidoProtocol":2}`:       "fidoProtocol",
		`{"fidoprotocol":"FIDO2"}`: "fidoprotocol",
		`{"fidoProtocol":"FIDO2","displayName":1}`:                                            "displayName",
		`{"fidoProtocol":"FIDO2","attestation":"enterprise"}`:                                 "attestation",
		`{"fidoProtocol":"FIDO2","attestation":""}`:                                           "attestation",
		`{"fidoProtocol":"FIDO2","authenticatorSelection":[]}`:                                "authenticatorSelection",
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{"userVerification":"always"}}`:     "authenticatorSelection.userVerification",
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{"authenticatorAttachment":"usb"}}`: "authenticatorSelection.authenticatorAttachment",
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{"requireResidentKey":"true"}}`:     "authenticatorSelection.requireResidentKey",
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{"residentKey":"required"}}`:        "authenticatorSelection.residentKey",
		`{"fidoProtocol":"FIDO2","requestID":"x"}`:                                            "requestID",
		`{"fidoProtocol":"FIDO2","fidoProtocol":"FIDO2"}`:                                     "fidoProtocol",
		`{"fidoProtocol":"UAF11","displayName":"a","attestation":"none"}`:                     "displayName attestation",
		`{"fidoProtocol":"UAF11","authenticatorSelection":{}}`:                                "authenticatorSelection",
		`{"attestation":"x","authenticatorSelection":{"userVerification":"x"}}`:               "fidoProtocol authenticatorSelection.userVerification attestation",
		`{"fidoProtocol":"FIDO2"}{}`:                                                          "",
		`{"fidoProtocol":"FIDO2"`:                                                             "",
		`[]`:                                                                                  "",
	} {
		t.Run(payload, func(t *testing.T) {
			p.post("/users/alice@sandbox/generate-fido-registration-request", payload).invalid(t, strings.Split(fields, " ")...)
		})
	}
	for _, payload := range []string{
		`{"fidoProtocol":"FIDO2"}`,
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{}}`,
		`{"fidoProtocol":"FIDO2","attestation":"indirect","authenticatorSelection":{"authenticatorAttachment":"cross-platform"}}`,
	} {
		if a := p.post("/users/alice@sandbox/generate-fido-registration-request", payload); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", payload, a.status, a.text)
		}
	}
}

func TestOtherPayloads(t *testing.T) {
	p := start(t)
	for _, one := range []struct{ path, payload, fields string }{
		{"register-fido-device", `{}`, "fidoProtocol registrationResponse"},
		{"register-fido-device", `{"fidoProtocol":"FIDO2"}`, "registrationResponse requestID"},
		{"register-fido-device", `{"fidoProtocol":"FIDO2","requestID":"a","registrationResponse":{}}`, "registrationResponse"},
		{"register-fido-device", `{"fidoProtocol":"FIDO2","requestID":"","registrationResponse":"{}"}`, "requestID"},
		{"register-fido-device", `{"fidoProtocol":"UAF11","requestID":"42b3a6fe-143e-403c-ac3f-dec6345b6822","registrationResponse":"[]"}`, "requestID"},
		{"generate-fido-authentication-request", `{}`, "fidoProtocol"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"FIDO2","userVerification":"x"}`, "userVerification"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"UAF11","userVerification":"required"}`, "userVerification"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"FIDO2","authenticationMessage":"pay"}`, "authenticationMessage"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":""}`, "authenticationMessage"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":"Zahl 5 €"}`, "authenticationMessage"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":"` + strings.Repeat("x", 201) + `"}`, "authenticationMessage"},
		{"login", `{}`, "objectType credentials"},
		{"login", `{"objectType":"Login","credentials":{"passKey":"x"}}`, "objectType"},
		{"login", `{"objectType":"AdaptiveLoginInput","credentials":{"passKey":"x"}}`, "cddc relationshipRef sessionID"},
		{"login", `{"objectType":"AdaptiveLoginInput","credentials":{"passKey":"x"},"cddc":{},"relationshipRef":"r","sessionID":"xy"}`, "cddc sessionID"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"relationshipRef":"r"}`, "relationshipRef"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"sessionID":"ab"}`, "sessionID"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"cddc":{"browserCDDC":{"fingerprintRaw":"x","fingerprintHash":""}}}`, "cddc.browserCDDC.fingerprintRaw"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"cddc":{"browserCDDC":{"fingerprintHash":""},"mobileCDDC":{}}}`, "cddc cddc.browserCDDC.fingerprintHash"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":""}}`, "credentials.passKey"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"` + strings.Repeat("x", 256) + `"}}`, "credentials.passKey"},
		{"login", `{"objectType":"LoginInput","credentials":{"authenticator":{}}}`, "credentials.authenticator.OTP"},
		{"login", `{"objectType":"LoginInput","credentials":{"authenticator":{"OTP":"12345","PIN":"1","serialNumber":"x"}}}`,
			"credentials.authenticator.OTP credentials.authenticator.PIN credentials.authenticator.serialNumber"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"loginMessage":{"challenge":"","subject":" ","title":{"text":"` + strings.Repeat("x", 31) + `"}}}`,
			"loginMessage.challenge loginMessage.subject loginMessage.title.text"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"requestID":"authentication:42b3a6fe-143e-403c-ac3f-dec6345b6822"}`, "requestID"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"requestID":null}`, "requestID"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"orchestrationDelivery":["pushNotification","pushNotification"]}`, "orchestrationDelivery"},
		{"login", `{"objectType":"LoginInput","credentials":{}}`, "credentials"},
		{"login", `{"objectType":"LoginInput","credentials":{"passkey":"x"}}`, "credentials.passkey"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x","fidoAuthenticator":{"authenticationResponse":"{}"}}}`, "credentials"},
		{"login", `{"objectType":"LoginInput","credentials":{"fidoAuthenticator":{}}}`, "credentials.fidoAuthenticator.authenticationResponse requestID"},
		{"login", `{"objectType":"LoginInput","credentials":{"fidoAuthenticator":{"authenticationResponse":"{}"}}}`, "requestID"},
		{"login", `{"objectType":"LoginInput","orchestrationDelivery":["pushNotification"]}`, "credentials"},
		{"login", `{"objectType":"LoginInput","orchestrationDelivery":["fax"],"credentials":{"passKey":"x"}}`, "orchestrationDelivery"},
		{"login", `{"objectType":"LoginInput","orchestrationDelivery":[],"credentials":{"passKey":"x"}}`, "orchestrationDelivery"},
		{"login", `{"objectType":"LoginInput","clientIP":"2001:db8::1","credentials":{"passKey":"x"}}`, "clientIP"},
		{"login", `{"objectType":"LoginInput","clientIP":"","credentials":{"passKey":"x"}}`, "clientIP"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"timeout":61}`, "timeout"},
		{"login", `{"objectType":"LoginInput","credentials":{"passKey":"x"},"timeout":-1}`, "timeout"},
	} {
		t.Run(one.path+" "+one.payload, func(t *testing.T) {
			p.post("/users/alice@sandbox/"+one.path, one.payload).invalid(t, strings.Split(one.fields, " ")...)
		})
	}
}

// Members that real clients send and the sandbox ignores.
func TestLoginTakesRiskData(t *testing.T) {
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
func TestUAFIsAnsweredHonestly(t *testing.T) {
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

func TestBodiesThatAreNoJSON(t *testing.T) {
	p := start(t)
	r := p.request(http.MethodPost, "/users/alice@sandbox/login", `{"objectType":"LoginInput","credentials":{"passKey":"Sandbox-1!"}}`)
	r.Header.Set("Content-Type", "text/plain")
	p.send(r).refused(t, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	big := `{"fidoProtocol":"` + strings.Repeat("x", 1<<20) + `"}`
	p.post("/users/alice@sandbox/generate-fido-registration-request", big).refused(t, http.StatusRequestEntityTooLarge, "Request body is too large")
}
