package platform_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

func TestLogin_Payload(t *testing.T) {
	tests := map[string]struct {
		in   identityapi.LoginInput
		want string
	}{
		"nothing": {identityapi.LoginInput{}, `{"objectType":"LoginInput","timeout":0}`},
		"password": {identityapi.LoginInput{Credentials: &identityapi.Credentials{PassKey: "Sandbox-1!"}, ClientIP: "192.0.2.1"},
			`{"objectType":"LoginInput","timeout":0,"credentials":{"passKey":"Sandbox-1!"},"clientIP":"192.0.2.1"}`},
		"one-time password": {identityapi.LoginInput{Credentials: &identityapi.Credentials{Authenticator: &identityapi.OTPCredential{OTP: "123456", PIN: "1234", SerialNumber: "VDS0000001"}}},
			`{"objectType":"LoginInput","timeout":0,"credentials":{"authenticator":{"OTP":"123456","PIN":"1234","serialNumber":"VDS0000001"}}}`},
		"FIDO": {identityapi.LoginInput{
			Credentials: &identityapi.Credentials{FIDOAuthenticator: &identityapi.FIDOCredential{AuthenticationResponse: options}}, RequestID: "authentication:1",
		}, `{"objectType":"LoginInput","timeout":0,"credentials":{"fidoAuthenticator":{"authenticationResponse":` + quoted(t, options) + `}},"requestID":"authentication:1"}`},
		"FIDO with its connection": {identityapi.LoginInput{
			Credentials: &identityapi.Credentials{FIDOAuthenticator: &identityapi.FIDOCredential{
				AuthenticationResponse: "[]", ChannelBinding: identityapi.ChannelBinding{CIDPublicKey: "c", TLSUnique: "t", TokenBinding: "b"},
			}},
		}, `{"objectType":"LoginInput","timeout":0,"credentials":{"fidoAuthenticator":{"authenticationResponse":"[]","cidPublicKey":"c","tlsUnique":"t","tokenBinding":"b"}}}`},
		"not all of risk analytics": {identityapi.LoginInput{CDDC: []byte(`{"mobileCDDC":{}}`), SessionID: "ab", ApplicationRef: "app"},
			`{"objectType":"LoginInput","timeout":0,"cddc":{"mobileCDDC":{}}}`},
		"all the rest": {identityapi.LoginInput{
			OrchestrationDelivery: []string{"pushNotification", "requestMessage"},
			CDDC:                  []byte(`{"browserCDDC":{"fingerprintRaw":"{\"a\":1.0}","fingerprintHash":"h"}}`),
			LoginMessage:          []byte(`{"title":{"text":"T"},"subject":"S"}`),
			RelationshipRef:       "rel", SessionID: "ses", ApplicationRef: "app",
		}, `{"objectType":"AdaptiveLoginInput","timeout":0,` +
			`"orchestrationDelivery":["pushNotification","requestMessage"],` +
			`"cddc":{"browserCDDC":{"fingerprintRaw":"{\"a\":1.0}","fingerprintHash":"h"}},"loginMessage":{"title":{"text":"T"},"subject":"S"},` +
			`"relationshipRef":"rel","sessionID":"ses","applicationRef":"app"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, p := says(t, http.StatusOK, `{"sessionStatus":"accepted"}`)
			if _, err := c.Login(t.Context(), alice, tt.in); err != nil {
				t.Fatal(err)
			}
			if p.sent != tt.want {
				t.Errorf("sent %s\nwant %s", p.sent, tt.want)
			}
		})
	}
}

func TestLogin_Verdicts(t *testing.T) {
	tests := []struct {
		body string
		want identityapi.SessionStatus
		key  fault.Key
		uaf  int
	}{
		{`{"sessionStatus":"accepted"}`, identityapi.StatusAccepted, "", 0},
		{`{"sessionStatus":"ACCEPTED"}`, identityapi.StatusAccepted, "", 0},
		{`{"sessionStatus":"accepted","uafStatusCode":1200}`, identityapi.StatusAccepted, "", 0},
		{`{"sessionStatus":"pending","requestID":"r"}`, identityapi.StatusPending, "", 0},
		{`{"sessionStatus":"pending","fidoAuthenticationRequest":"[{}]"}`, identityapi.StatusPending, "", 0},
		{`{"sessionStatus":"refused","requestID":"r"}`, "", fault.SignInRefused, 0},
		{`{"sessionStatus":"failed"}`, "", fault.SignInRefused, 0},
		{`{"sessionStatus":"failure"}`, "", fault.SignInRefused, 0},
		{`{"sessionStatus":"timeout"}`, "", fault.SignInRefused, 0},
		{`{"sessionStatus":"unknown"}`, "", fault.SignInRefused, 0},
		{`{"sessionStatus":"refused","uafStatusCode":1498}`, "", fault.SignInRefused, 1498},
		{`{"sessionStatus":"accepted","uafStatusCode":1491}`, "", fault.SignInRefused, 1491},
	}
	for _, tt := range tests {
		c, _ := says(t, http.StatusOK, tt.body)
		out, err := c.Login(t.Context(), alice, identityapi.LoginInput{})
		if out.SessionStatus != tt.want {
			t.Errorf("%s: %q", tt.body, out.SessionStatus)
		}
		if tt.key == "" && err != nil || tt.key != "" && (!fault.Is(err, tt.key) || fault.From(err).UAFStatusCode != tt.uaf) {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

func TestLogin_Response(t *testing.T) {
	c, _ := says(t, http.StatusOK, `{"sessionStatus":"PENDING","requestID":"r","requestMessage":"0a0b","riskResponseCode":"14","eventId":9007199254740993,`+
		`"challenge":"123","fidoAuthenticationRequest":`+quoted(t, options)+`,"uafStatusCode":null,"password":"hunter2","adminNote":{"secret":"hunter2"}}`)
	out, err := c.Login(t.Context(), alice, identityapi.LoginInput{})
	if err != nil {
		t.Fatal(err)
	}
	if out.RequestID != "r" || out.RequestMessage != "0a0b" || *out.RiskResponseCode != 14 || *out.EventID != 9007199254740993 ||
		out.Challenge != "123" || out.FIDOAuthenticationRequest != options || out.UAFStatusCode != nil {
		t.Errorf("read %+v", out)
	}
	text, err := jsonv2.Marshal(out.Public(), jsonv2.Deterministic(true))
	want := `{"challenge":"123","eventId":9007199254740993,"fidoAuthenticationRequest":` + quoted(t, options) +
		`,"requestID":"r","requestMessage":"0a0b","riskResponseCode":"14","sessionStatus":"pending","uafStatusCode":null}`
	if err != nil || string(text) != want {
		t.Errorf("public: %s\nwant    %s: %v", text, want, err)
	}
	c, _ = says(t, http.StatusOK, `{"sessionStatus":"accepted"}`)
	out, err = c.Login(t.Context(), alice, identityapi.LoginInput{})
	if public := out.Public(); err != nil || len(public) != 1 || public["sessionStatus"] != identityapi.StatusAccepted {
		t.Errorf("public: %v, %v", public, err)
	}
}

// The password and the one-time password are secrets of the call (TestError_HidesEchoedSecrets
// of internal/upstream).
func TestLogin_ErrorHidesPassword(t *testing.T) {
	const password, otp = `hunter2"<é`, "90210"
	c, _ := says(t, http.StatusConflict, `{"error":"Conflict","message":`+fmt.Sprintf("%q", "wrong: "+password+" "+otp)+`}`)
	_, err := c.Login(t.Context(), alice, identityapi.LoginInput{Credentials: &identityapi.Credentials{
		PassKey: password, Authenticator: &identityapi.OTPCredential{OTP: otp},
	}})
	if shown := fmt.Sprintf("%v %+v", err, err); err == nil || strings.Contains(shown, "hunter2") || strings.Contains(shown, otp) {
		t.Error(shown)
	}
}

func TestSessionStatus_Words(t *testing.T) {
	words := map[string]identityapi.SessionStatus{
		"pending": identityapi.StatusPending, "accepted": identityapi.StatusAccepted, "refused": identityapi.StatusRefused,
		"failure": identityapi.StatusFailed, "failed": identityapi.StatusFailed, "timeout": identityapi.StatusTimeout,
		"unknown": identityapi.StatusUnknown, "Pending": identityapi.StatusPending,
	}
	for word, want := range words {
		c, p := says(t, http.StatusOK, `{"sessionStatus":"`+word+`"}`)
		got, err := c.SessionStatus(t.Context(), "login:1/2")
		if err != nil || got != want {
			t.Errorf("%s became %q: %v", word, got, err)
		}
		if p.called != "GET /v1/sessions/login:1%2F2" {
			t.Errorf("called %s", p.called)
		}
	}
}

func TestAuthenticationRequest_BothProtocols(t *testing.T) {
	c, p := says(t, http.StatusOK, `{"authenticationRequest":`+quoted(t, options)+`,"requestID":"authentication:1"}`)
	out, err := c.GenerateFIDOAuthenticationRequest(t.Context(), alice, identityapi.AuthenticationRequestInput{FIDOProtocol: identityapi.FIDO2, UserVerification: "required"})
	if err != nil || out.AuthenticationRequest != options || out.RequestID != "authentication:1" || out.UAFStatusCode != nil {
		t.Errorf("%+v, %v", out, err)
	}
	if p.sent != `{"fidoProtocol":"FIDO2","userVerification":"required"}` {
		t.Errorf("sent %s", p.sent)
	}
	c, p = says(t, http.StatusOK, `{"authenticationRequest":"[{}]","uafStatusCode":"1200"}`)
	out, err = c.GenerateFIDOAuthenticationRequest(t.Context(), alice, identityapi.AuthenticationRequestInput{FIDOProtocol: identityapi.UAF11, AuthenticationMessage: "Pay 1 €"})
	if err != nil || out.RequestID != "" || *out.UAFStatusCode != 1200 || p.sent != `{"fidoProtocol":"UAF11","authenticationMessage":"Pay 1 €"}` {
		t.Errorf("%+v, %v after %s", out, err, p.sent)
	}
}
