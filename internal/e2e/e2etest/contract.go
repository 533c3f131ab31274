package e2etest

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/web/openapitest"
)

// contracts are the OpenAPI documents of the programs under test, by origin.
var contracts sync.Map

// checked is base with every answer held to the program's own OpenAPI document.
func checked(t testing.TB, app *App, base *http.Client) *http.Client {
	t.Helper()
	if strings.HasPrefix(app.URL(), "https:") {
		base.Transport = proxy{http.DefaultTransport, app}
	}
	known, ok := contracts.Load(app)
	if !ok {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.ListenURL()+"/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = app.Host()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		document, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if known, err = openapitest.New(document); err != nil {
			t.Fatal(err)
		}
		contracts.Store(app, known)
		t.Cleanup(func() { contracts.Delete(app) })
	}
	return known.(*openapitest.Checker).Client(base, t.Errorf)
}
