package signing_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/sandboxtest"
	"countersign/internal/sandbox/signing"
)

// An account that uses OAuth: tokens end, are revoked, and cannot be had, and no person is
// ever told that their own credentials are wrong.
func TestOAuth_TokensEndOrRevoked(t *testing.T) {
	t.Parallel()
	platform := sandboxtest.Start(t, sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: time.Now})
	manage := func(method, path string, body map[string]any) {
		t.Helper()
		contentType, content := sandboxtest.Body(t, body)
		r, err := http.NewRequestWithContext(t.Context(), method, platform+"/_manage/"+path, content)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", contentType)
		response, err := http.DefaultClient.Do(r)
		if err != nil || response.StatusCode >= 300 {
			t.Fatalf("%s: %v, %v", path, response, err)
		}
		response.Body.Close()
	}
	revoke := func() { t.Helper(); manage("PUT", "account", map[string]any{"authentication": "oauth"}) }
	revoke()
	var log logtest.Log
	app := e2etest.BootTo(t, &log, "SIGNING_URL="+platform, "SIGNING_OAUTH_CLIENT_ID="+signing.ClientID, "SIGNING_OAUTH_CLIENT_SECRET="+signing.ClientSecret)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	create := func() e2etest.Reply {
		return alice.Send("POST", "/api/packages", draft("Contract", "bob@sandbox.example"))
	}
	path := "/api/packages/" + create().Want(200).Text("id")
	read := func() e2etest.Reply { return alice.Send("GET", path+"/documents/contract/pdf", nil) }
	read().Want(200)
	e2etest.Eventually(t, "a change under a revoked token is refused", func() bool { // a read of the index may have renewed it
		revoke()
		r := create()
		return r.Status != http.StatusOK && r.Refused(503, "platform.unavailable").Header.Get("Retry-After") != ""
	})
	create().Want(200)

	manage("POST", "faults", map[string]any{"operation": "requestToken", "status": 401, "body": map[string]any{"error": "invalid_client"}})
	revoke()
	read().Refused(503, "platform.unavailable")
	e2etest.Eventually(t, "the token endpoint is asked again", func() bool { return read().Status == http.StatusOK })
	if text := log.String(); regexp.MustCompile(`eyJ[\w-]{8,}\.`).MatchString(text) || strings.Contains(text, signing.ClientSecret) || !strings.Contains(text, "invalid_client") {
		t.Errorf("the log: %s", text)
	}
}
