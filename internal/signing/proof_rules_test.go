package signing_test

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/proofs"
)

func TestCheckProofs_Violations(t *testing.T) {
	for body, want := range map[string]string{
		`{"passkey":{"maxAge":29}}`:                              "/passkey/maxAge",
		`{"passkey":{"maxAge":3601}}`:                            "/passkey/maxAge",
		`{"passkey":{"maxAge":30.5}}`:                            "/passkey/maxAge",
		`{"passkey":{"maxAge":"300"}}`:                           "/passkey/maxAge",
		`{"passkey":{"deviceBound":"yes"}}`:                      "/passkey/deviceBound",
		`{"passkey":true}`:                                       "/passkey",
		`{"passkey":{"age":1}}`:                                  "/passkey/age",
		`{"identity":{"maxAge":3599},"passkey":{"maxAge":1e30}}`: "/passkey/maxAge /identity/maxAge",
		`{"identity":{"maxAge":31536001}}`:                       "/identity/maxAge",
		`{"Passkey":{}}`:                                         "/Passkey",
		`{"a/b~":1,"passkey":null}`:                              "/a~1b~0",
	} {
		p, err := signing.NewPayload([]byte(body))
		if err == nil {
			err = signing.CheckProofs(p, signing.Context{})
		}
		var pointers []string
		for _, f := range fault.From(err).Fields {
			pointers = append(pointers, f.Pointer)
		}
		if got := strings.Join(pointers, " "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// What is asked without an age has the default's.
func TestCheckProofs_Accepted(t *testing.T) {
	for body, want := range map[string][2]int64{
		`{}`: {}, `{"passkey":{}}`: {300, 0}, `{"passkey":null,"identity":{"maxAge":null}}`: {0, 7776000}, `{"passkey":{"maxAge":30},"identity":{"maxAge":31536000}}`: {30, 31536000},
	} {
		p, err := signing.NewPayload([]byte(body))
		if err == nil {
			err = signing.CheckProofs(p, signing.Context{})
		}
		asked, reading := proofs.ReadAsked([]byte(body))
		if err != nil || reading != nil {
			t.Errorf("%s: %v, %v", body, err, reading)
			continue
		}
		var ages [2]int64
		if asked.Passkey != nil {
			ages[0] = asked.Passkey.MaxAge
		}
		if asked.Identity != nil {
			ages[1] = asked.Identity.MaxAge
		}
		if ages != want {
			t.Errorf("%s asks for ages of %v, want %v", body, ages, want)
		}
	}
}
