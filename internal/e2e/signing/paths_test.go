package signing_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// TestPathsOfAnotherPlatform: the platform has some operations at other paths, and
// nothing at their default paths. Clients use the usual ones.
func TestPathsOfAnotherPlatform(t *testing.T) {
	var proxy *httputil.ReverseProxy
	server, app := openBehind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/v2/files/"):
			document, id, _ := strings.Cut(strings.TrimPrefix(path, "/v2/files/"), "/of/")
			r.URL.Path, r.URL.RawPath = packages+"/"+id+"/documents/"+document+"/pdf", ""
		case strings.HasPrefix(path, "/v2"):
			r.URL.Path, r.URL.RawPath = strings.Replace(path, "/v2", "/api", 1), ""
		case path == packages, strings.Count(path, "/") == 3 && r.Method != http.MethodPut, strings.HasSuffix(path, "/pdf"):
			t.Errorf("%s %s is where it is by default", r.Method, path)
		}
		proxy.ServeHTTP(w, r)
	}), "PLATFORM_PATHS="+
		"listPackages: /v2/packages\ncreatePackage: /v2/packages\ngetPackage: /v2/packages/{package}\n"+
		"deletePackage: /v2/packages/{package}\ngetDocumentPdf: /v2/files/{document}/of/{package}\n")
	to, err := url.Parse(app.SandboxURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server.Start()

	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := create(alice, draft("Elsewhere", bobMail))
	if got := alice.Send("GET", packages+"/"+id, nil).Want(http.StatusOK).Member("name"); got != "Elsewhere" {
		t.Errorf("the package is called %v", got)
	}
	if got := alice.Send("GET", packages, nil).Want(http.StatusOK).Member("count"); got != 1.0 {
		t.Errorf("a list of %v packages", got)
	}
	alice.Send("PUT", packages+"/"+id, object{"description": "changed"}).Want(http.StatusOK)
	alice.Send("GET", packages+"/"+id+"/documents/default-consent/pdf", nil).Want(http.StatusOK)
	alice.Send("DELETE", packages+"/"+id+"?confirm=yes", nil).Want(http.StatusOK)
	alice.Send("GET", packages+"/"+id, nil).Refused(http.StatusNotFound, notFound)
}

// Where the platform has attachments by role, an id that two roles share is no obstacle: each
// signer's call bears their own role.
func TestAttachments_ByRole(t *testing.T) {
	t.Parallel()
	var proxy *httputil.ReverseProxy
	asked := make(chan string, 8)
	server, app := openBehind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/attachment/passport") {
			asked <- r.Method + " " + r.URL.Path[strings.LastIndex(r.URL.Path, "/roles/"):]
			_, _ = w.Write([]byte("{}"))
			return
		}
		proxy.ServeHTTP(w, r)
	}), "PLATFORM_PATHS=attach: /api/packages/{package}/roles/{role}/attachment/{attachment}\ngetAttachment: /api/packages/{package}/roles/{role}/attachment/{attachment}\n")
	to, err := url.Parse(app.SandboxURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server.Start()
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
