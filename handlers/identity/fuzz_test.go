package identity

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
)

// payloads are the readers of payloads that clients send.
var payloads = map[string]func(payload.Object) error{
	"registration request": func(body payload.Object) error { _, err := registrationRequestPayload(body); return err },
	"registration":         func(body payload.Object) error { _, err := registerDevicePayload(body); return err },
	"authentication":       func(body payload.Object) error { _, err := authenticationRequestPayload(body); return err },
	"sign-in":              func(body payload.Object) error { _, err := SignIn{Adaptive: true}.loginPayload(body); return err },
	"transaction":          func(body payload.Object) error { _, err := Transactions{}.transactionPayload(body); return err },
	"activation": func(body payload.Object) error {
		_, err := Activation{Users: request.Users{Fold: true}}.registerUserPayload(body)
		return err
	},
}

// readBody reads text as a payload and returns the error that its sender gets.
func readBody(text string, payload func(payload.Object) error) error {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(text))
	c.Request.Header.Set("Content-Type", "application/json")
	body, err := request.JSON(c)
	if err != nil {
		return err
	}
	return payload(body)
}

func FuzzPayloads(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `null`, `{"fidoProtocol":"FIDO2"}`, `{"fidoProtocol":"UAF11","requestID":"x"}`, `{"fidoProtocol":"FIDO2","fidoProtocol":"FIDO2"}`,
		`{"fidoProtocol":"FIDO2","displayName":"x","attestation":"none","authenticatorSelection":{"authenticatorAttachment":"platform","requireResidentKey":true}}`,
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{"a/b~c":null,"requireResidentKey":"true"}}`,
		`{"fidoProtocol":"FIDO2","registrationResponse":"{}","requestID":"x"}`, `{"fidoProtocol":"UAF11","authenticationMessage":"Pay"}`,
		`{"credentials":{"passKey":"x"}}`, `{"credentials":{"fidoAuthenticator":{"authenticationResponse":"[]"}}}`, `{"orchestrationDelivery":["requestMessage"]}`,
		`{"data":{"fido":{"fidoProtocol":"UAF11","authenticationResponse":"[]"}}}`, `{"userID":"alice@sandbox","domain":"sandbox","cddc":{}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, payload := range payloads {
			err := readBody(text, payload)
			if err == nil {
				continue
			}
			told := fault.From(err)
			if status := told.Row().Status; status < 400 || status > 499 {
				t.Errorf("%s: %d for what a client sent: %v", name, status, err)
			}
			for _, field := range told.Fields {
				if len(field.Pointer) > 256 || field.Pointer != "" && field.Pointer[0] != '/' {
					t.Errorf("%s: %q points nowhere", name, field.Pointer)
				}
			}
			if again := fault.From(readBody(text, payload)); again.Key != told.Key || !cmp.Equal(again.Fields, told.Fields) {
				t.Errorf("%s: told %v, and then %v", name, told.Fields, again.Fields)
			}
		}
	})
}

// Wherever a sign-in leads, browsers stay on this origin.
func FuzzOwnPath(f *testing.F) {
	for _, next := range []string{"/", "/account?a=b#c", "//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "javascript:x", "/..//evil.example", "%2f%2fevil.example"} {
		f.Add(next)
	}
	base := &url.URL{Scheme: "https", Host: "sign.example.org", Path: "/login"}
	f.Fuzz(func(t *testing.T, next string) {
		path := page.LocalPath(next)
		// Browsers remove or turn round these characters before they look.
		seen := strings.NewReplacer("\t", "", "\n", "", "\r", "", "\\", "/").Replace(strings.TrimSpace(path))
		u, err := base.Parse(seen)
		if err != nil || u.Host != base.Host || u.Scheme != base.Scheme || strings.HasPrefix(seen, "//") || !strings.HasPrefix(seen, "/") {
			t.Errorf("%q leads to %v, %v", next, u, err)
		}
	})
}
