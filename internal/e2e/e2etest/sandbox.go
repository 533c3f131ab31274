package e2etest

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// Fault is the body of POST /_manage/faults, or a part of it.
type Fault map[string]any

// Fails makes the next call of operation fail with the platform's message.
func Fails(t *testing.T, app *App, operation, message string) {
	t.Helper()
	Manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "error": message})
}

// Asked returns the answer of the admin address to a GET.
func Asked(t testing.TB, app *App, path string) Reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.AdminURL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Plain(t).Do(request)
}

// Manage sends a request to /_manage of the sandbox, which must succeed.
func Manage(t testing.TB, app *App, method, path string, body any) Reply {
	t.Helper()
	return AtPlatform(t, app, method, "/_manage"+path, body)
}

// Journal lists the operations in the sandbox's journal, the oldest first, without
// listPackages, which the sweep of packages calls at any time.
func Journal(t testing.TB, app *App) []string {
	t.Helper()
	return JournalOf(t, app, "")
}

// JournalOf is Journal for the operations whose path contains a text, such as a package's id.
func JournalOf(t testing.TB, app *App, text string) []string {
	t.Helper()
	return journal(t, app, text, func(journalEntry) bool { return true })
}

// JournalOfRequests is JournalOf for what requests asked until a time of the platform's clock,
// such as that of their answer: nothing of it is work in the background.
func JournalOfRequests(t testing.TB, app *App, text string, until time.Time) []string {
	t.Helper()
	return journal(t, app, text, func(e journalEntry) bool { return e.RequestID != "" && !e.At.After(until) })
}

type journalEntry struct {
	At              time.Time
	Operation, Path string
	RequestID       string `json:"requestID"`
}

func journal(t testing.TB, app *App, text string, counts func(journalEntry) bool) []string {
	t.Helper()
	var body struct {
		Entries []journalEntry `json:"entries"`
	}
	if err := json.Unmarshal(Manage(t, app, "GET", "/journal", nil).Body, &body); err != nil {
		t.Fatal(err)
	}
	var operations []string
	for _, e := range body.Entries {
		if e.Operation != "listPackages" && strings.Contains(e.Path, text) && counts(e) {
			operations = append(operations, e.Operation)
		}
	}
	return operations
}

// Followed waits until the index has read a package that was just made, and that nobody has read
// since: it would get an answer that is made up for a request.
func Followed(t testing.TB, app *App, id string) {
	t.Helper()
	Eventually(t, "the index has read the package", func() bool { return slices.Contains(JournalOf(t, app, id), "getPackage") })
}

// Untouched runs do and fails the test if do calls any of operations of the sandbox.
func Untouched(t testing.TB, app *App, do func(), operations ...string) {
	t.Helper()
	Manage(t, app, "DELETE", "/journal", nil)
	do()
	for _, operation := range Journal(t, app) {
		if slices.Contains(operations, operation) {
			t.Errorf("the sandbox was asked for %s", operation)
		}
	}
}

// Sign signs everything in the package that the client's person has to sign, on the
// platform's page.
func Sign(t testing.TB, app *App, c *Client, id string) {
	t.Helper()
	to := c.Page("/packages/" + url.PathEscape(id) + "/sign").Want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, app.SandboxURL()) {
		t.Fatalf("signing is at %q", to)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer := &http.Client{Jar: jar}
	response, err := signer.Get(to)
	for _, action := range []string{"accept", "sign"} {
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		response, err = signer.PostForm(response.Request.URL.String(), url.Values{"action": {action}})
	}
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("signing is answered %d", response.StatusCode)
	}
}
