package conformance_test

import (
	"flag"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/conformance"
	"countersign/internal/sandbox/idv"
)

// A tenant's address has the cases of identity verification run on it as well.
var (
	verificationURL       = flag.String("verification", "", "address of a tenant's API for identity verification, without /api; empty runs the sandbox alone")
	verificationTokenFile = flag.String("verification-token-file", "", "file: its token")
	verificationTenant    = flag.String("verification-tenant", "", "its tenant")
	verificationWorkflow  = flag.String("workflow", "", "the id of a workflow that a transaction may name")
	verificationBrand     = flag.String("brand", "", "the id of a brand that a transaction may name")
)

func TestVerification(t *testing.T) {
	t.Run("sandbox", func(t *testing.T) {
		server := serve(t)
		conformance.Verification(t, http.DefaultClient, conformance.VerificationEnv{
			URL: server.URL, Authorization: "Bearer sandbox-key", Tenant: idv.Tenant, Workflow: idv.Workflows[1], Brand: idv.Brands[0],
			Play: play,
			Wait: func(t *testing.T, d time.Duration) { advance(t, server.URL, d) },
		})
	})
	if *verificationURL != "" {
		t.Run("tenant", func(t *testing.T) {
			conformance.Verification(t, http.DefaultClient, conformance.VerificationEnv{
				URL: *verificationURL, Authorization: "Bearer " + strings.TrimSpace(string(read(t, *verificationTokenFile))),
				Tenant: *verificationTenant, Workflow: *verificationWorkflow, Brand: *verificationBrand,
			})
		})
	}
}

// play presses the buttons of the sandbox's page.
func play(t *testing.T, accessURL string) {
	t.Helper()
	for _, action := range []string{"choose-document", "take-selfie", "agree", "finish"} {
		response, err := http.PostForm(accessURL, url.Values{"action": {action}, "quality": {"good"}})
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", action, response.Status)
		}
	}
}

func advance(t *testing.T, sandbox string, d time.Duration) {
	t.Helper()
	response, err := http.Post(sandbox+"/_manage/clock", "application/json", strings.NewReader(`{"advance":"`+d.String()+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Fatal(response.Status)
	}
}
