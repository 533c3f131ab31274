package conformance_test

import (
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"countersign/internal/conformance"
)

// A tenant's address has the cases of signing run on it as well.
var (
	signingURL     = flag.String("signing", "", "address of a tenant's signing API, without /api; empty runs the sandbox alone")
	signingKeyFile = flag.String("signing-key-file", "", "file: its API key")
	signingEmail   = flag.String("signer", "", "an e-mail address that may be invited")
	signingFields  = flag.Bool("custom-fields", false, "custom fields are enabled for its account")
)

func TestSigning(t *testing.T) {
	t.Run("sandbox", func(t *testing.T) {
		conformance.Signing(t, http.DefaultClient, conformance.SigningEnv{
			URL: serve(t).URL, Authorization: "Basic sandbox-key", Signer: "ada@sandbox.example", CustomFields: true,
		})
	})
	if *signingURL != "" {
		t.Run("tenant", func(t *testing.T) {
			key, err := os.ReadFile(*signingKeyFile)
			if err != nil {
				t.Fatal(err)
			}
			conformance.Signing(t, http.DefaultClient, conformance.SigningEnv{
				URL: *signingURL, Authorization: "Basic " + strings.TrimSpace(string(key)), Signer: *signingEmail, CustomFields: *signingFields,
			})
		})
	}
}
