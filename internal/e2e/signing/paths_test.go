package signing_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// Where the platform has attachments by role, an id that two roles share is no obstacle: each
// signer's call bears their own role.
func TestAttachments_ByRole(t *testing.T) {
	t.Parallel()
	const byRole = "/api/packages/{package}/roles/{role}/attachment/{attachment}\n"
	server := httptest.NewUnstartedServer(nil)
	app := e2etest.Open(t, e2etest.Unopened(t, io.Discard, "SIGNING_URL=http://"+server.Listener.Addr().String(), "PLATFORM_PATHS=attach: "+byRole+"getAttachment: "+byRole))
	to, err := url.Parse(app.SandboxURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy, asked := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}, make(chan string, 8)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/attachment/passport") {
			asked <- r.Method + " " + r.URL.Path[strings.LastIndex(r.URL.Path, "/roles/"):]
			_, _ = w.Write([]byte("{}"))
			return
		}
		proxy.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	e2etest.Manage(t, app, "PUT", "/users/frank@sandbox", object{"status": "active", "passKey": "Sandbox-1!"})
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := asking(alice, "passport")
	for _, who := range []string{"bob", "frank"} {
		signer := e2etest.Program(t, app).SignedIn(who + "@sandbox")
		upload(signer, attachment(path, "passport"), form(attached("scan.png", "x"))).Want(http.StatusOK)
		signer.Send("GET", attachment(path, "passport"), nil).Want(http.StatusOK)
		for _, method := range []string{"POST", "GET"} {
			if got, want := <-asked, method+" /roles/"+who+"/attachment/passport"; got != want {
				t.Errorf("the platform was asked %s, want %s", got, want)
			}
		}
	}
	alice.Send("GET", attachment(path, "passport"), nil).Refused(http.StatusConflict, tooEarly)
}
