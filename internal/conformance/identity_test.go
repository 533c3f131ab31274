package conformance_test

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/conformance"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/sandbox"
	"countersign/internal/upstream"
)

// A tenant's address has the cases run on it as well:
//
//	go test ./internal/conformance -platform https://… -cert … -key … -user …
var (
	tenant       = flag.String("platform", "", "base address of a tenant's identity API, /v1 included; empty runs the sandbox alone")
	cert         = flag.String("cert", "", "file: the client certificate for it, PEM")
	key          = flag.String("key", "", "file: its key, PEM")
	ca           = flag.String("ca", "", "file: the authorities to trust, PEM")
	user         = flag.String("user", "", "an active account of the tenant, userID@domain, without authenticators")
	other        = flag.String("other", "", "another one")
	unknown      = flag.String("unknown", "nobody.of.that.name@sandbox", "an account that the tenant does not have")
	passwordFile = flag.String("password-file", "", "file: the static password of both accounts")
	facet        = flag.String("facet", "", "a UAF facet that the tenant trusts, for the cases of UAF")
	origin       = flag.String("origin", "", "an origin that the tenant takes FIDO2 responses from")
)

const (
	sandboxOrigin = "http://localhost:8080"
	sandboxFacet  = "android:apk-key-hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk"
)

func clientOf(t *testing.T, o upstream.Options) *identity.Client {
	t.Helper()
	o.Name = "identity"
	up, err := upstream.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return identity.New(identity.Options{Upstream: up})
}

func TestIdentity(t *testing.T) {
	t.Run("sandbox", onSandbox)
	if *tenant != "" {
		t.Run("tenant", onTenant)
	}
}

// serve runs a sandbox that wants a key.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	platform, err := sandbox.New(sandbox.Options{
		RPID: "localhost", RPOrigins: []string{sandboxOrigin}, APIKey: "sandbox-key", Now: time.Now,
		UAFAppID: sandboxOrigin + "/uaf/facets", UAFFacets: []string{sandboxFacet},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(platform.Close)
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	return server
}

func onSandbox(t *testing.T) {
	server := serve(t)
	client := clientOf(t, upstream.Options{BaseURL: server.URL, Authorization: "Basic sandbox-key"})
	conformance.Identity(t, client, conformance.Env{
		User: "alice@sandbox", Other: "bob@sandbox", Password: "Sandbox-1!", Unknown: "nobody@sandbox",
		ShutOut: []string{"dave@sandbox", "erin@sandbox", "frank@sandbox"}, Origin: sandboxOrigin, Facet: sandboxFacet,
		Decide: func(t *testing.T, requestID string, accept bool) {
			decide(t, server.URL+"/_manage/push/"+requestID, accept)
		},
	})
}

func TestAWrongCredentialIsOurFault(t *testing.T) {
	server := serve(t)
	for _, authorization := range []string{"", "Basic another-key", "Bearer sandbox-key"} {
		client := clientOf(t, upstream.Options{BaseURL: server.URL, Authorization: authorization})
		if _, err := client.User(t.Context(), "alice@sandbox"); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%q: %v", authorization, err)
		}
	}
}

func decide(t *testing.T, url string, accept bool) {
	t.Helper()
	body := `{"decision":"refuse"}`
	if accept {
		body = `{"decision":"accept"}`
	}
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Fatalf("decide: %s", response.Status)
	}
}

func onTenant(t *testing.T) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if *cert != "" {
		pair, err := tls.LoadX509KeyPair(*cert, *key)
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if *ca != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(read(t, *ca)) {
			t.Fatalf("%s holds no certificate", *ca)
		}
	}
	conformance.Identity(t, clientOf(t, upstream.Options{BaseURL: *tenant, TLS: config}), conformance.Env{
		User: *user, Other: *other, Password: strings.TrimSpace(string(read(t, *passwordFile))), Unknown: *unknown, Origin: *origin, Facet: *facet,
	})
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	if name == "" {
		return nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
