package signing_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A platform that answers before it has read the upload is heard, and the rest of the
// upload is not waited for.
func TestUploads_PlatformAnswersEarly(t *testing.T) {
	t.Parallel()
	status := make(chan int, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodPost {
			fmt.Fprint(w, `{"count":0,"results":[]}`)
			return
		}
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
		w.WriteHeader(<-status)
		fmt.Fprint(w, `{"code":400,"messageKey":"error.some.thing","message":"raw words"}`)
	}))
	t.Cleanup(server.Close)
	app := e2etest.Boot(t, "SIGNING_URL="+server.URL, "SIGNING_API_KEY=key", "MAX_UPLOAD=40MiB")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	body := form(payload(`{"name":"a","documents":[{}]}`), attached("a", paper(strings.Repeat("x", 8<<20))))
	for early, want := range map[int]struct {
		status int
		key    string
	}{413: {413, "request.too-large"}, 400: {400, "signing.invalid"}, 401: {502, "platform.failed"}, 500: {502, "platform.failed"}} {
		status <- early
		if r := upload(alice, "/api/packages", body).Refused(want.status, want.key); strings.Contains(string(r.Body), "raw") {
			t.Errorf("%d: %s", early, r.Body)
		}
	}
}
