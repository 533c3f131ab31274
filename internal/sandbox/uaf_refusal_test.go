package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// What cannot be read spends no challenge.
func TestUAFResponse_UnreadableSpendsNoChallenge(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	response := p.enrol("alice@sandbox", device)
	a := p.finishUAF("alice@sandbox", response[:len(response)/2])
	a.invalid(t, "registrationResponse")
	a.refusedUAF(t, uaf.StatusBadRequest)
	p.finishUAF("alice@sandbox", strings.Replace(response, `"op":"Reg"`, `"op":null`, 1)).refusedUAF(t, uaf.StatusUnacceptableContent)
	p.finishUAF("alice@sandbox", response).uaf(t, http.StatusOK, uaf.StatusOK)

	response = p.sign("alice@sandbox", device, "")
	a = p.signInUAF("alice@sandbox", response[:len(response)-1])
	a.invalid(t, "credentials.fidoAuthenticator.authenticationResponse")
	a.refusedUAF(t, uaf.StatusBadRequest)
	a = p.confirmFor("alice@sandbox", "[", "42b3a6fe-143e-403c-ac3f-dec6345b6822")
	a.invalid(t, "data.fido.authenticationResponse")
	a.refusedUAF(t, uaf.StatusBadRequest)
	p.signInUAF("alice@sandbox", response).uaf(t, http.StatusOK, uaf.StatusOK)
}

// A challenge is answered within three minutes, and a refusal spends it.
func TestUAFChallenge_ExpiresOrRefused(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	late := p.enrol("alice@sandbox", demoPhone(t))
	p.advance("180s")
	p.finishUAF("alice@sandbox", late).refusedUAF(t, uaf.StatusRequestInvalid)
	p.registerUAF("alice@sandbox", device)
	late = p.sign("alice@sandbox", device, "")
	p.advance("180s")
	p.signInUAF("alice@sandbox", late).refusedUAF(t, uaf.StatusRequestInvalid)
	broken := tampered(device, softuaf.Tamper{Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }}, func() string { return p.sign("alice@sandbox", device, "") })
	p.signInUAF("alice@sandbox", broken).refusedUAF(t, uaf.StatusUnacceptableContent)
	p.signInUAF("alice@sandbox", broken).refusedUAF(t, uaf.StatusRequestInvalid)
	p.manage(http.MethodPost, "reset", nil)
	p.registerUAF("alice@sandbox", device) // the same key is free again
}

// A UAF call that is refused for reasons outside UAF has a uafStatusCode too.
func TestUAFStatus_RefusalOutsideUAF(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	response := p.sign("alice@sandbox", device, "")
	calls := map[string]object{
		"generate-fido-registration-request":   {"fidoProtocol": "UAF11"},
		"register-fido-device":                 {"fidoProtocol": "UAF11", "registrationResponse": "[]"},
		"generate-fido-authentication-request": {"fidoProtocol": "UAF11"},
		"login":                                {"objectType": "LoginInput", "credentials": object{"fidoAuthenticator": object{"authenticationResponse": response}}},
		"transactions/validate":                {"objectType": "TransactionValidationInput", "data": object{"fido": object{"authenticationResponse": response, "requestID": "42b3a6fe-143e-403c-ac3f-dec6345b6822"}}},
	}
	for path, body := range calls {
		t.Run(path, func(t *testing.T) {
			for user, want := range map[string]struct {
				status  int
				message string
				code    uaf.Status
			}{
				"nobody@sandbox": {http.StatusNotFound, "User account not found", uaf.StatusNotFound},
				"dave@sandbox":   {http.StatusConflict, "User is disabled", uaf.StatusForbidden},
				"erin@sandbox":   {http.StatusConflict, "User is locked", uaf.StatusForbidden},
			} {
				if strings.HasPrefix(path, "generate-") && want.status == http.StatusConflict {
					want.status = http.StatusBadRequest
				}
				a := p.post("/users/"+user+"/"+path, body)
				a.refused(t, want.status, want.message)
				a.uaf(t, want.status, want.code)
			}
		})
	}
	a := p.post("/users/bob@sandbox/generate-fido-authentication-request", object{"fidoProtocol": "UAF11"})
	a.refused(t, http.StatusBadRequest, "No authenticators available")
	a.uaf(t, http.StatusBadRequest, uaf.StatusNotFound)
	a = p.post("/users/alice@sandbox/register-fido-device", object{"fidoProtocol": "UAF11"})
	a.invalid(t, "registrationResponse")
	a.uaf(t, http.StatusBadRequest, uaf.StatusBadRequest)
	a = p.post("/users/dave@sandbox/generate-fido-registration-request", object{"fidoProtocol": "FIDO2"})
	if _, there := a.body["uafStatusCode"]; there {
		t.Errorf("a refusal of FIDO2 has a uafStatusCode: %s", a.text)
	}
	p.manage(http.MethodPut, "users/alice@sandbox", object{"status": "locked"})
	p.signInUAF("alice@sandbox", response).uaf(t, http.StatusConflict, uaf.StatusForbidden)
}
