package conformance_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/conformance"
	identityapi "countersign/internal/identity/platform"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/signing"
	"countersign/internal/upstream"
)

const (
	sandboxOrigin = "http://localhost:8080"
	sandboxFacet  = "android:apk-key-hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk"
)

// serve runs a sandbox that requires a key.
func serve(t *testing.T) string {
	t.Helper()
	return serveBehind(t, func(platform http.Handler) http.Handler { return platform })
}

// serveBehind is serve with front around the platform.
func serveBehind(t *testing.T, front func(http.Handler) http.Handler) string {
	t.Helper()
	platform, err := sandbox.New(sandbox.Options{
		RPID: "localhost", RPOrigins: []string{sandboxOrigin}, APIKey: "sandbox-key", Now: time.Now,
		UAFAppID: sandboxOrigin + "/uaf/facets", UAFFacets: []string{sandboxFacet},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(platform.Close)
	server := httptest.NewServer(front(platform))
	t.Cleanup(server.Close)
	return server.URL
}

// connect returns a client for the identity API at address that never stops trying it.
func connect(t *testing.T, address, authorization string) *upstream.Client {
	t.Helper()
	up, err := upstream.New(upstream.Options{Name: "identity", BaseURL: address, Authorization: authorization, OutagesToOpen: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return up
}

// fixed returns the Authorize of a fixed credential.
func fixed(authorization string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return authorization, nil }
}

// envs are the cases' inputs for a sandbox.
type envs struct {
	identity     conformance.Env
	signing      conformance.SigningEnv
	verification conformance.VerificationEnv
}

func envsOf(t *testing.T, address string) envs {
	t.Helper()
	const ended, password = "ended@sandbox", "Sandbox-1!"
	steered := conformance.Sandbox{URL: address, HTTP: http.DefaultClient}
	if err := steered.End(t.Context(), ended, password); err != nil {
		t.Fatal(err)
	}
	steer(t, address, `PUT policy {"conditionalCreate":true}`)
	return envs{
		conformance.Env{
			User: "alice@sandbox", Other: "bob@sandbox", Password: password, Unknown: "nobody@sandbox",
			Disabled: "dave@sandbox", Locked: "erin@sandbox", Expired: "frank@sandbox",
			Ended: ended, Origin: sandboxOrigin, Facet: sandboxFacet, Decide: steered.Decide, ConditionalCreate: true,
		},
		conformance.SigningEnv{URL: address, Authorize: fixed("Basic sandbox-key"), Signer: "ada@sandbox.example", Fill: true},
		conformance.VerificationEnv{
			URL: address, Authorization: "Bearer sandbox-key", Tenant: idv.Tenant, Workflow: idv.Workflows()[1], Brand: idv.Brands()[0], Role: "customer",
			Play: steered.Play, Wait: steered.Wait,
		},
	}
}

// run runs every case on the sandbox at address.
func run(t *testing.T, address string, tell func(conformance.Result)) {
	t.Helper()
	with := envsOf(t, address)
	conformance.Identity(t.Context(), identityapi.Options{Upstream: connect(t, address, "Basic sandbox-key")}, with.identity, tell)
	conformance.Signing(t.Context(), http.DefaultClient, with.signing, tell)
	conformance.Verification(t.Context(), http.DefaultClient, with.verification, tell)
}

func TestConformance_Sandbox(t *testing.T) {
	run(t, serve(t), func(r conformance.Result) {
		t.Run(r.API+" "+r.Case, func(t *testing.T) {
			for _, finding := range r.Findings {
				t.Error(finding)
			}
			if r.LeftOut != "" {
				t.Errorf("left out: %s", r.LeftOut)
			}
		})
	})
}

// Of a signer's address the cases spell A to Z otherwise, and no other letter: Unicode's
// capitals of these are other mailboxes.
func TestSignerAddress_ASCIICaseOnly(t *testing.T) {
	for _, signer := range []string{"käthe.groß@sandbox.example", "\u212aate@sandbox.example", "Kate@Sandbox.example"} {
		env := envsOf(t, serve(t)).signing
		env.Signer, env.Fill = signer, false
		conformance.Signing(t.Context(), http.DefaultClient, env, func(r conformance.Result) {
			for _, finding := range r.Findings {
				t.Errorf("%s: %s: %s", signer, r.Case, finding)
			}
		})
	}
}

// A platform that takes OAuth tokens conforms as well, and its token is renewed.
func TestConformance_SandboxWithTokens(t *testing.T) {
	address := serve(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address+"/_manage/account", strings.NewReader(`{"authentication":"oauth"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if set, err := http.DefaultClient.Do(r); err != nil || set.StatusCode != http.StatusNoContent {
		t.Fatalf("%v, %v", set, err)
	}
	up, err := upstream.New(upstream.Options{Name: "signing", BaseURL: address, Now: time.Now, OAuth: &upstream.OAuth{
		ID: signing.ClientID, Secret: "sandbox-key", TokenURL: address + "/oauth2/token",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	env, renewed := envsOf(t, address).signing, false
	env.Authorize, env.Renewable = up.Authorization, true
	conformance.Signing(t.Context(), http.DefaultClient, env, func(r conformance.Result) {
		renewed = renewed || r.Case == "the credential is renewed"
		for _, finding := range r.Findings {
			t.Errorf("%s: %s", r.Case, finding)
		}
	})
	if !renewed {
		t.Error("the renewal was not tried")
	}
}
