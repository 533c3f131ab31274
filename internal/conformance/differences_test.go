package conformance_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/internal/conformance"
	"countersign/internal/identity/platform"
)

// steer makes the sandbox deviate: a call is a method, a path below /_manage/ and a body.
func steer(t *testing.T, address, call string) {
	t.Helper()
	method, rest, _ := strings.Cut(call, " ")
	path, body, _ := strings.Cut(rest, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, address+"/_manage/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s: %s", call, response.Status)
	}
}

// resultOf runs the cases of an API up to the one of that name.
func resultOf(t *testing.T, address, api, name string) conformance.Result {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var found conformance.Result
	tell := func(r conformance.Result) {
		if r.Case == name {
			found = r
			end() // leaves out the remaining cases
		}
	}
	switch with := envsOf(t, address); api {
	case "identity":
		conformance.Identity(ctx, platform.Options{Upstream: connect(t, address, "Basic sandbox-key")}, with.identity, tell)
	case "signing":
		conformance.Signing(ctx, http.DefaultClient, with.signing, tell)
	case "verification":
		conformance.Verification(ctx, http.DefaultClient, with.verification, tell)
	}
	return found
}

const (
	paths    = "every call has its path"
	words    = "refusals have their statuses and words"
	windows  = "a window of the list includes its first and last record"
	pages    = "a page of the list has a hundred packages"
	expired  = "a wrong password is not told that it has expired"
	releases = "errors match the release"
)

func TestDifferences_Named(t *testing.T) {
	address := serve(t)
	for _, tc := range []struct {
		call, api, name string
		says            string // part of a finding
		setting         string // the setting that the result calls for; "" for none
	}{
		{`POST faults {"operation":"orchestrationCommands","times":0,"status":404}`, "identity", paths, "orchestrationCommands: the platform answered 404", ""},
		{`POST faults {"operation":"login","times":0,"status":405}`, "identity", paths, "login: the platform answered 405", ""},
		{`POST faults {"operation":"login","times":0,"status":401,"error":"Authentication failed"}`, "identity", words, "want 409 Authentication failed", ""},
		{`POST faults {"operation":"login","times":0,"error":"Wrong password"}`, "identity", words, "409: Conflict: Wrong password", ""},
		{`POST faults {"operation":"sessionStatus","times":0,"error":"Timed out"}`, "identity", words, "the status of no sign-in", ""},
		{`PUT users/dave@sandbox {"status":"active"}`, "identity", words, "a disabled account", ""},
		{`PUT users/erin@sandbox {"status":"disabled"}`, "identity", words, "a locked account", ""},
		{`PUT users/frank@sandbox {"status":"active"}`, "identity", words, "an expired password", ""},
		{`PUT users/alice@sandbox {"passKey":"Another-1!"}`, "identity", words, "a right password", ""},
		{`PUT users/alice@sandbox {"email":""}`, "identity", "an account has an e-mail address", "getUser", ""},
		{`POST faults {"operation":"login","times":0,"error":"Static password has expired"}`, "identity", expired, "frank@sandbox with a wrong password", ""},
		{`POST faults {"operation":"orchestrationCommands","times":0,"release":"22.R3"}`, "identity", releases, "a number instead of words", "PLATFORM_RELEASE=22.R3"},
		{`POST faults {"operation":"generateFidoRegistrationRequest","times":0,"body":{"requestID":"registration:1","registrationRequest":"{\"rp\":{\"id\":\"tenant.example\"}}"}}`,
			"identity", "the relying party is the public origin's", "tenant.example", "PUBLIC_ORIGIN=https://tenant.example"},
		{`POST faults {"operation":"unlockUser","times":0,"body":{}}`, "identity", "an account that is not locked cannot be unlocked", "unlock an account that is not locked", ""},
		{`POST faults {"operation":"queryUsers","times":0,"body":[{"users":[],"total":0}]}`, "identity", "people are found by a part of their name", "alice@sandbox is not found", ""},
		{`POST faults {"operation":"checkActivationStatus","times":0,"body":{"activationStatus":"timeout"}}`, "identity", "an activation tells how it stands", "not asked to wait", ""},
		{`POST faults {"operation":"getUser","times":0,"body":{"userID":"","enabled":true,"locked":false}}`, "identity", "a locked account does not unlock by itself", "erin@sandbox is not locked at first", ""},
		{`POST faults {"operation":"registerFidoDevice","times":0,"status":409}`, "identity", "a passkey without user presence is accepted", "leave CONDITIONAL_CREATE off", ""},
		{`PUT account {"pageBounds":"exclusive"}`, "signing", windows, "the last record is left out", ""},
		{`POST faults {"operation":"listPackages","times":0,"status":503}`, "signing", windows, "503", ""},
		{`PUT account {"maxPage":50}`, "signing", pages, "has 50 packages", ""},
		{`PUT account {"customFields":false}`, "signing", "a custom field is overwritten", "custom fields are not enabled", ""},
		{`POST faults {"operation":"getSigningUrl","times":0,"body":{"url":"https://sign.example/access?x=1"}}`, "signing", "the signing page is at the platform's host", "sign.example", "SIGNING_SITE_HOSTS=sign.example"},
		{`POST faults {"operation":"createSignerToken","times":0,"body":{"value":"spent"}}`, "signing", "a token that counts once opens the signing page", "a token that counts once: 4", ""},
		{`POST faults {"operation":"getSigningUrl","times":0,"body":{"url":"` + address + `/nowhere"}}`, "signing", "an invitation needs nothing of ours", "no signature can go past it", ""},
		{`POST faults {"operation":"getPackage","times":0,"body":{"status":"COMPLETED","data":{}}}`, "signing", "data outlasts a signature", "of data.countersign.kept 0 bytes are left", ""},
		{`POST faults {"operation":"getDetailedReport","times":0,"status":404}`, "verification", paths, "getDetailedReport: ", ""},
		{`POST faults {"operation":"createSessionToken","times":0,"status":405}`, "verification", paths, "createSessionToken: ", ""},
	} {
		t.Run(tc.call, func(t *testing.T) {
			defer steer(t, address, "POST reset")
			steer(t, address, tc.call)
			checkDifference(t, resultOf(t, address, tc.api, tc.name), tc.says, tc.setting)
		})
	}
}

func checkDifference(t *testing.T, r conformance.Result, says, setting string) {
	t.Helper()
	if !slices.ContainsFunc(r.Findings, func(finding string) bool { return strings.Contains(finding, says) }) {
		t.Errorf("nothing says %q: %q", says, r.Findings)
	}
	if setting == "" {
		return
	}
	if !slices.ContainsFunc(r.Settings, func(s conformance.Setting) bool { return s.Name+"="+s.Value == setting }) {
		t.Errorf("%s does not follow: %+v", setting, r.Settings)
	}
}

// Whichever operation fails, the finding names it.
func TestFindings_NameFailedOperation(t *testing.T) {
	address := serve(t)
	for _, operation := range []string{
		"login", "sessionStatus", "getUser", "generateFidoRegistrationRequest", "registerFidoDevice", "generateFidoAuthenticationRequest",
		"listFidoRegistrations", "renameFidoRegistration", "deleteFidoRegistration", "registerUser", "orchestrationCommands", "validateTransaction",
		"queryUsers", "updateUser", "unlockUser", "checkActivationStatus",
	} {
		steer(t, address, `POST faults {"operation":"`+operation+`","times":0,"status":500}`)
		checkDifference(t, resultOf(t, address, "identity", paths), operation+": the platform answered 500", "")
		steer(t, address, "DELETE faults")
	}
}

// A platform for which alice and ALICE are two people.
func TestDifferences_CaseOfUserNames(t *testing.T) {
	address, err := url.Parse(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(address)
	strict := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "ALICE") {
			r.URL.Path, r.URL.RawPath = "/users/nobody@sandbox", ""
		}
		r.Host = address.Host
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(strict.Close)
	r := resultOf(t, strict.URL, "identity", "the case of a user name")
	checkDifference(t, r, "ALICE@SANDBOX is not alice@sandbox", "USER_CASE=keep")
}

// Only authenticators that the cases registered are removed.
func TestCleanup_KeepsOtherAuthenticators(t *testing.T) {
	address := serve(t)
	steer(t, address, `POST faults {"operation":"listFidoRegistrations","times":0,"body":{"registrations":[{"registrationID":"1","name":"Phone","fidoProtocol":"FIDO2"}]}}`)
	var last conformance.Result
	conformance.Identity(t.Context(), platform.Options{Upstream: connect(t, address, "Basic sandbox-key")}, envsOf(t, address).identity, func(r conformance.Result) { last = r })
	checkDifference(t, last, "alice@sandbox has 1", "")
}
