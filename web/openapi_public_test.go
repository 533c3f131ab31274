package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/handlers"
	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/uaf"
	"countersign/static"
	"countersign/templates"
	"countersign/web/openapitest"
)

// The addresses without a session lookup, called through the real edge and compared with
// the document that it serves.
func TestPublicResponses_MatchDocument(t *testing.T) {
	site := newSite(t, known)
	checker, err := openapitest.New(site.document(t))
	if err != nil {
		t.Fatal(err)
	}
	client := checker.Client(site.client, t.Errorf)
	htmlHeader := http.Header{"Accept": {"text/html"}}
	requests := []struct {
		method, path string
		header       http.Header
		want         int
	}{
		{"GET", "/openapi.json", nil, 200},
		{"HEAD", "/openapi.json", nil, 200},
		{"GET", "/openapi.json", htmlHeader, 200},
		{"GET", "/docs/api", htmlHeader, 200},
		{"HEAD", "/docs/api?q=session", nil, 200},
		{"GET", "/docs/api", http.Header{"If-None-Match": {"*"}}, 304},
		{"GET", "/favicon.ico", nil, 302},
		{"GET", site.assets.URL("app.css"), nil, 200},
		{"HEAD", site.assets.URL("app.css"), nil, 200},
		{"GET", "/static/0000000000000000/app.css", nil, 404},
		{"POST", "/callbacks/signing", http.Header{"Authorization": {"Basic another"}}, 401},
		{"GET", "/callbacks/signing", nil, 405},
		{"GET", "/uaf/facets", nil, 200},
		{"GET", "/.well-known/passkey-endpoints", nil, 200},
		{"GET", "/.well-known/webauthn", htmlHeader, 200},
		{"HEAD", "/.well-known/assetlinks.json", nil, 200},
		{"GET", "/.well-known/assetlinks.json", nil, 200},
		{"GET", "/.well-known/apple-app-site-association", nil, 200},
		{"GET", "/.well-known/change-password", nil, 302},
		{"GET", "/errors/no.such", nil, 404},
		{"GET", "/errors/no.such", htmlHeader, 404},
		{"GET", "/nowhere", nil, 404},
		{"GET", "/nowhere", htmlHeader, 404},
		{"GET", "/nowhere", http.Header{"Accept": {"text/html"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Site": {"cross-site"}}, 200},
		{"GET", "/users/me/nowhere", nil, 404},
		{"OPTIONS", "/session", http.Header{"Origin": {"https://elsewhere.example"}}, 405},
		{"PUT", "/openapi.json", nil, 405},
		{"TRACE", "/users/me/login", nil, 405},
		{"GET", "/openapi.json", http.Header{"Host": {"elsewhere.example"}}, 421},
		{"GET", "/nowhere", http.Header{"Host": {"elsewhere.example"}, "Accept": {"text/html"}}, 421},
	}
	for _, row := range fault.Rows() {
		requests = append(requests, struct {
			method, path string
			header       http.Header
			want         int
		}{"GET", "/errors/" + string(row.Key), htmlHeader, 200})
	}
	for _, r := range requests {
		if got := site.send(t, client, r.method, r.path, "", r.header); got != r.want {
			t.Errorf("%s %s: %d, not %d", r.method, r.path, got, r.want)
		}
	}
	if got := site.send(t, client, "GET", "/errors/request.rate", strings.Repeat("x", limitJSON+1), nil); got != 413 {
		t.Errorf("a body of more than %d bytes: %d", limitJSON, got)
	}
	shown := http.Header{"Authorization": {"Basic callback-key"}, "Content-Type": {mediaJSON}}
	if got := site.send(t, client, "POST", "/callbacks/signing", `{"name":"PACKAGE_CREATE","packageId":"p"}`, shown); got != 204 {
		t.Errorf("a callback: %d", got)
	}
	if got := site.send(t, client, "POST", "/callbacks/verification?key=callback-key", `{}`, nil); got != 204 {
		t.Errorf("a callback of verification: %d", got)
	}
	public := map[string]bool{}
	for _, operation := range operationsOf(parsed(t)) {
		public[operation.OperationID] = len(*operation.Security) == 0
	}
	for _, unmet := range checker.Unmet() {
		if public[unmet.Operation] && unmet.Status < 400 {
			t.Errorf("%s was not met", unmet)
		}
	}
}

func TestWellKnown_UnsetMatchesDocument(t *testing.T) {
	site := newSite(t, identity.WellKnown{})
	checker, err := openapitest.New(site.document(t))
	if err != nil {
		t.Fatal(err)
	}
	client := checker.Client(site.client, t.Errorf)
	for _, path := range []string{
		"/uaf/facets", "/.well-known/webauthn", "/.well-known/assetlinks.json",
		"/.well-known/apple-app-site-association", "/.well-known/change-password",
	} {
		for _, header := range []http.Header{nil, {"Accept": {"text/html"}}} {
			if got := site.send(t, client, "GET", path, "", header); got != 404 {
				t.Errorf("GET %s: %d", path, got)
			}
		}
	}
}

// known is an installation that has something to say to every machine.
var known = identity.WellKnown{
	PublicOrigin:   "https://countersign.example",
	Facets:         uaf.NewTrustedFacets("https://countersign.example/uaf/facets", "https://countersign.example", "android:apk-key-hash:x"),
	RelatedOrigins: []string{"https://sign.countersign.example"},
	AndroidApps:    []identity.AndroidApp{{Package: "example.app", Fingerprint: "AB" + strings.Repeat(":0F", 31)}},
	IOSApps:        []string{"ABCDE12345.example.app"},
	ChangePassword: "https://accounts.countersign.example/password",
}

// site is a running edge without sessions or handlers.
type site struct {
	origin string
	client *http.Client
	assets *static.Assets
}

func newSite(t *testing.T, machines identity.WellKnown) site {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	pages := templates.New(templates.Options{Bundle: bundle, Assets: assets})
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	renderer := page.Renderer{Templates: pages, Bundle: bundle}
	server.Config.Handler, err = New(Options{
		Handlers: handlers.Handlers{
			WellKnown: machines, HomePage: handlers.HomePage{Renderer: renderer, Assets: assets},
			Callbacks: handlers.Callbacks{
				SigningKey: func() string { return "callback-key" }, KeepSigning: func(context.Context, []byte) error { return nil },
				VerificationKey: func() string { return "callback-key" }, VerificationChanged: func(context.Context, string) error { return nil },
			},
		},
		Bundle: bundle, Renderer: renderer, Assets: assets, Metrics: NewMetrics("test"),
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, PublicOrigin: origin,
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(server.Close)
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return site{origin, client, assets}
}

// document returns GET /openapi.json.
func (s site) document(t *testing.T) []byte {
	t.Helper()
	answer, err := s.client.Get(s.origin + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if server := `"url": "` + s.origin + `"`; !bytes.Contains(content, []byte(server)) {
		t.Errorf("the document lacks %s", server)
	}
	return content
}

// send returns the status of an answer. A header called Host sets the requested host.
func (s site) send(t *testing.T, client *http.Client, method, path, body string, header http.Header) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.origin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	r.Host = r.Header.Get("Host")
	r.Header.Del("Host")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}
