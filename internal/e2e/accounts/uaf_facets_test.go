package accounts_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/uaf"
)

// An app's certificate gives it its names in both protocols, once it is in the settings.
func TestApp_OriginAndFacetsFromCertificate(t *testing.T) {
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
func TestFacets_OtherDomainRefused(t *testing.T) {
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
