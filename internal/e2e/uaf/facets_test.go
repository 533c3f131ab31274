package uaf_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/uaf"
)

// An app's certificate gives it its names in both protocols, once it is in the settings.
func TestAnAppsOriginAndFacets(t *testing.T) {
	fingerprint := bytes.Repeat([]byte{0xA5, 0x0F}, 16)
	hash := base64.RawURLEncoding.EncodeToString(fingerprint)
	setting := "com.example.app=" + strings.ReplaceAll(fmt.Sprintf("% X", fingerprint), " ", ":")
	android := "android:apk-key-hash:" + hash
	facet := func(id string) func(*softuaf.Options) { return func(o *softuaf.Options) { o.FacetID = id } }
	passkey := authenticator.NewFIDO2(authenticator.Options{Origin: android, UserVerifying: true, Discoverable: true, Platform: true})

	plain := e2etest.Boot(t)
	c := e2etest.Program(t, plain).SignedIn("alice@sandbox")
	e2etest.Untouched(t, plain, func() {
		c.FinishUAF(c.Enrol(e2etest.Phone(t, plain, facet(android)))).Refused(http.StatusBadRequest, "ceremony.origin").UAFStatus(1498)
		c.FinishRegistration(c.Create(passkey, c.RequestRegistration())).Refused(http.StatusBadRequest, "ceremony.origin")
	}, "registerFidoDevice")

	app := e2etest.Boot(t, "APPS_ANDROID="+setting, "APPS_IOS=ABCDE12345.com.example.app")
	document := e2etest.Program(t, app).Send("GET", "/uaf/facets", nil).Want(http.StatusOK)
	facets, err := uaf.ParseTrustedFacets(document.Body)
	if err != nil || document.Header.Get("Content-Type") != uaf.TrustedFacetsMediaType {
		t.Fatalf("%s (%v)", document.Body, err)
	}
	for _, id := range []string{app.URL(), android, "ios:bundle-id:com.example.app"} {
		if !slices.Contains(facets, id) {
			t.Errorf("%s is not in %q", id, facets)
		}
		a := e2etest.Phone(t, app, facet(id))
		c := e2etest.Program(t, app).SignedIn("alice@sandbox")
		c.RegisterUAF(a)
		c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", a, "")).Want(http.StatusOK).UAFStatus(1200)
	}
	passkey = authenticator.NewFIDO2(authenticator.Options{Origin: android, UserVerifying: true, Discoverable: true, Platform: true})
	e2etest.Program(t, app).SignedIn("bob@sandbox").Register(passkey)
	e2etest.Program(t, app).Passkey("bob@sandbox", passkey)
}

// UAF clients trust no web origin of another domain than the appID's, even if passkeys
// may be used there, and neither do we.
func TestAnOriginOfAnotherDomainIsNoFacet(t *testing.T) {
	const elsewhere = "https://cs.example"
	app := e2etest.Boot(t, "RP_ORIGINS=http://localhost,"+elsewhere, "SANDBOX_UAF_FACETS=http://localhost,"+elsewhere)
	document := e2etest.Program(t, app).Send("GET", "/uaf/facets", nil).Want(http.StatusOK)
	facets, err := uaf.ParseTrustedFacets(document.Body)
	if err != nil || !slices.Equal(facets, []string{"http://localhost"}) {
		t.Errorf("%s (%v)", document.Body, err)
	}
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Untouched(t, app, func() {
		a := e2etest.Phone(t, app, func(o *softuaf.Options) { o.FacetID = elsewhere })
		c.FinishUAF(c.Enrol(a)).Refused(http.StatusBadRequest, "ceremony.origin").UAFStatus(1498)
	}, "registerFidoDevice")
	c.RegisterUAF(e2etest.Phone(t, app, func(o *softuaf.Options) { o.FacetID = "http://localhost" }))
}

// The message reaches the platform byte for byte, with odd spelling, unknown members and
// escapes.
func TestUAFMessagesTravelByteForByte(t *testing.T) {
	request, err := uaf.RegistrationRequest{
		Header:    uaf.NewHeader(uaf.OperationRegistration, "", ""), // the facet is the appID
		Challenge: strings.Repeat("A", 22), Username: "alice", Policy: uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{softuaf.DemoAAID}}}}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan string, 1)
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/login"):
			io.WriteString(w, `{"sessionStatus":"accepted"}`)
		case strings.HasSuffix(r.URL.Path, "/generate-fido-registration-request"):
			json.NewEncoder(w).Encode(map[string]any{"registrationRequest": " " + request + "\n", "uafStatusCode": 1200})
		case strings.HasSuffix(r.URL.Path, "/register-fido-device"):
			var in struct{ RegistrationResponse string }
			_ = json.Unmarshal(body, &in)
			sent <- in.RegistrationResponse
			io.WriteString(w, `{"uafStatusCode":1200}`)
		default:
			io.WriteString(w, `{"enabled":true,"locked":false}`)
		}
	}))
	t.Cleanup(platform.Close)
	app := e2etest.InFrontOf(t, platform.URL)
	c := e2etest.Program(t, app)
	c.Carry(c.Send("POST", "/users/alice@sandbox/login", map[string]any{"credentials": map[string]any{"passKey": "x"}}).Want(http.StatusOK))
	asked := c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).Want(http.StatusOK)
	if got := asked.Text("registrationRequest"); got != " "+request+"\n" {
		t.Errorf("the request arrived as %q", got)
	}
	a := e2etest.Phone(t, app)
	response, err := a.Register(asked.Text("registrationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	odd := "\n [ " + strings.Replace(response[1:len(response)-1], `"header":`, `"unknown" : {"x":[1e3,"\u003c\/"]},  "header" :`, 1) + "\t]\n"
	c.Send("POST", "/users/me/register-fido-device", map[string]any{"fidoProtocol": "UAF11", "registrationResponse": odd}).Want(http.StatusOK)
	if got := <-sent; got != odd {
		t.Errorf("the platform was sent %q, not %q", got, odd)
	}
}
