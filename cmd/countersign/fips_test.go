package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// With Go's FIPS 140-3 module switched on the program starts, and a passkey is registered
// and signs in.
func TestFIPSModule_PasskeySignsIn(t *testing.T) {
	t.Parallel()
	approved := program
	approved.Environ = slices.Concat(program.Environ, []string{"GODEBUG=fips140=on"})
	p := approved.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
	const user = "/users/alice@sandbox"
	ask := func(token, path string, body any) e2etest.Reply {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+path, strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Countersign-Session": {"bearer"}}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return e2etest.Plain(t).Do(r).Want(http.StatusOK)
	}
	type object = map[string]any
	passkey := authenticator.NewFIDO2(authenticator.Options{Origin: p.URL, UserVerifying: true, Discoverable: true, Platform: true})
	token := ask("", user+"/login", json.RawMessage(e2etest.RightPassword)).Text("sessionToken")
	made, err := passkey.Create(ask(token, "/users/me/generate-fido-registration-request", json.RawMessage(e2etest.AskPasskey)).Text("registrationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	ask(token, "/users/me/register-fido-device", object{"fidoProtocol": "FIDO2", "registrationResponse": made})
	begun := ask("", user+"/generate-fido-authentication-request", json.RawMessage(e2etest.AskPasskey))
	signed, err := passkey.Get(begun.Text("authenticationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	ask(begun.Text("sessionToken"), user+"/login", object{"credentials": object{"fidoAuthenticator": object{"authenticationResponse": signed}}})
}
