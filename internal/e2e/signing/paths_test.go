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
