package e2etest

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"countersign/web/openapitest"
)

// checkers are the checkers of the OpenAPI documents met so far, by document. Reading and
// validating one takes longer than starting the program.
var checkers = struct {
	sync.Mutex
	of map[string]*openapitest.Checker
}{of: map[string]*openapitest.Checker{}}

// checked returns base with every answer checked against the program's own OpenAPI
// document.
func checked(t testing.TB, app *App, base *http.Client) *http.Client {
	t.Helper()
	if strings.HasPrefix(app.URL(), "https:") {
		base.Transport = proxy{http.DefaultTransport, app}
	}
	app.contract.Do(func() { app.checker = checkerOf(t, document(t, app)) })
	if app.checker == nil {
		t.Fatal("the OpenAPI document could not be read")
	}
	return app.checker.Client(base, t.Errorf)
}

// document returns the OpenAPI document of app, without its origin: apart from that, all
// Apps of one kind have the same.
func document(t testing.TB, app *App) []byte {
	t.Helper()
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
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(content, []byte(app.URL()), []byte("https://countersign.example"))
}

func checkerOf(t testing.TB, document []byte) *openapitest.Checker {
	t.Helper()
	checkers.Lock()
	defer checkers.Unlock()
	checker := checkers.of[string(document)]
	if checker == nil {
		var err error
		if checker, err = openapitest.New(document); err != nil {
			t.Fatal(err)
		}
		keep(t, checker, document)
		checkers.of[string(document)] = checker
	}
	return checker
}

// keep has the checker keep what it meets in the folder EXCHANGES, where one is named:
// make test has another library judge it when all tests are over.
func keep(t testing.TB, checker *openapitest.Checker, document []byte) {
	t.Helper()
	folder := os.Getenv("EXCHANGES")
	if folder == "" {
		return
	}
	if err := checker.KeepIn(folder, document); err != nil {
		t.Fatal(err)
	}
}
