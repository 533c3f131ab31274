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
	SignAt(t, to)
}

// SignAt signs everything on the platform's signing page at an address.
func SignAt(t testing.TB, address string) {
	t.Helper()
	PressAt(t, address, url.Values{"action": {"accept"}}, url.Values{"action": {"sign"}})
}

// PressAt opens the platform's signing page at an address and sends forms of it, one after the other.
func PressAt(t testing.TB, address string, forms ...url.Values) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer := &http.Client{Jar: jar}
	response, err := signer.Get(address)
	for _, form := range forms {
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		response, err = signer.PostForm(response.Request.URL.String(), form)
	}
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the signing page answers %d", response.StatusCode)
	}
}

// Letter is a message in the sandbox's outbox.
type Letter struct {
	To, Subject, Text string
	Links             []string
}

// Outbox returns the messages to an address, "" for all, the oldest first.
func Outbox(t testing.TB, app *App, to string) []Letter {
	t.Helper()
	var box struct{ Messages []Letter }
	if err := json.Unmarshal(Manage(t, app, "GET", "/outbox", nil).Body, &box); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(box.Messages, func(l Letter) bool { return to != "" && l.To != to })
}
