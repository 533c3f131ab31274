package verification_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// link returns the link to pass on that a page shows, "" if it shows none.
func link(r e2etest.Reply) string {
	found := regexp.MustCompile(`id="link" type="text" readonly value="([^"]+)"`).FindSubmatch(r.Body)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// A link to pass on is made by a press alone, and leads to the platform's page; nobody else
// makes one.
func TestLink_OnlyByPress(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "IDV_LINK_LIFETIME=90m")
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	path := start(t, c)
	page := c.Page(path).Want(http.StatusOK)
	has(t, page, ">Make a link<", "We do not send it", "A link works for 90 minutes.")
	lacks(t, page, ">Continue here<", "<svg class=\"qr\"")
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	for _, query := range []string{"?action=link", "?ask=link", "?live=yes"} {
		if got := link(c.Page(path + query).Want(http.StatusOK)); got != "" {
			t.Errorf("GET %s makes %s", query, got)
		}
	}
	if slices.Contains(e2etest.Journal(t, app), "createSessionToken") {
		t.Error("a GET makes a token")
	}
	made := c.Post(path, "action", "link").Want(http.StatusOK)
	has(t, made, ">Copy link<", `aria-label="QR code of the link"`, "This link works until")
	if made.Header.Get("Cache-Control") != "no-store, no-transform" || strings.Contains(string(made.Body), "http-equiv=\"refresh\"") {
		t.Errorf("the page is kept or loads itself: %v", made.Header)
	}
	if !strings.HasPrefix(link(made), app.SandboxURL()+"/esign/") || !slices.Contains(e2etest.Journal(t, app), "createSessionToken") {
		t.Errorf("the link is %q", link(made))
	}
	if r, err := http.Get(link(made)); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("the link leads to %v, %v", r, err)
	}
	if again := link(c.Post(path, "action", "link").Want(http.StatusOK)); again == link(made) {
		t.Error("two presses make one link")
	}
	carol := e2etest.Browser(t, app).SignedIn("carol@sandbox")
	lacks(t, carol.Page(path).Want(http.StatusOK), "Make a link", ">Continue<")
	if refused := carol.Post(path, "action", "link").Want(http.StatusNotFound); link(refused) != "" {
		t.Error("an operator plays somebody else")
	}
	e2etest.Browser(t, app).SignedIn("bob@sandbox").Post(path, "action", "link").Want(http.StatusNotFound)
	has(t, e2etest.Manage(t, app, "GET", "/transactions/"+strings.TrimPrefix(path, "/verifications/"), nil), "/verifications/{{transactionId}}/finished\"")
	for person, guest := range map[string]*e2etest.Client{"nobody": e2etest.Browser(t, app), "bob": e2etest.Browser(t, app).SignedIn("bob@sandbox")} {
		page := guest.Page(path + "/finished").Want(http.StatusOK)
		has(t, page, "You can close this page.")
		if lacks(t, page, "Archer"); string(guest.Page("/verifications/00000000-0000-4000-8000-000000000000/finished").Want(http.StatusOK).Body) == "" {
			t.Errorf("%s reads nothing", person)
		}
	}
	if to := c.Page(path + "/finished").Want(http.StatusSeeOther).Header.Get("Location"); to != path {
		t.Errorf("the starter is led to %s", to)
	}
	become(t, app, strings.TrimPrefix(path, "/verifications/"), "status", "completed")
	if refused := c.Post(path, "action", "link").Want(http.StatusConflict); link(refused) != "" {
		t.Error("what is over has a link")
	}
}

// A check of oneself goes on here or on one's own phone: its code leads to our page, and no
// link is passed on.
func aCheckOfOneself(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	has(t, c.Page("/verifications/new").Want(http.StatusOK), ">For myself<", ">For someone else<")
	path := send(t, c, map[string]string{"self": "yes", "first_name": "Vera", "last_name": "Verified"}).Want(http.StatusSeeOther).Header.Get("Location")
	page := c.Page(path).Want(http.StatusOK)
	has(t, page, ">Continue here<", "<svg class=\"qr\"", "<title>Identity check of Vera Verified · ")
	lacks(t, page, "Make a link", "access_token")
	other := send(t, c, map[string]string{"self": "no", "first_name": "Ada", "last_name": "Archer"}).Want(http.StatusSeeOther).Header.Get("Location")
	has(t, c.Page(other).Want(http.StatusOK), "Make a link")
}

// After a check has failed, its starter begins a new one with the same person, once for each
// page.
func tryAgain(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	path := start(t, c)
	id := strings.TrimPrefix(path, "/verifications/")
	lacks(t, c.Page(path), `value="again"`)
	c.Post(path, "action", "again").Want(http.StatusConflict)
	become(t, app, id, "result", "Failed")
	become(t, app, id, "status", "completed")
	page := c.Page(path).Want(http.StatusOK)
	has(t, page, ">Try again<", `class="state failed"`, "could not be")
	lacks(t, e2etest.Browser(t, app).SignedIn("carol@sandbox").Page(path).Want(http.StatusOK), `value="again"`)
	once := string(regexp.MustCompile(`name="once" value="([^"]+)"`).FindSubmatch(page.Body)[1])
	next := c.Post(path, "action", "again", "once", once).Want(http.StatusSeeOther).Header.Get("Location")
	if second := c.Post(path, "action", "again", "once", once).Want(http.StatusSeeOther).Header.Get("Location"); next == path || second != next {
		t.Errorf("pressed twice, %s begins %s and %s", path, next, second)
	}
	has(t, c.Page(next).Want(http.StatusOK), "of Ada Archer", "In progress", "Make a link")
	made := e2etest.Manage(t, app, "GET", "/transactions/"+strings.TrimPrefix(next, "/verifications/"), nil)
	has(t, made, `"ada@sandbox.example"`, `"1990-12-31T00:00:00.000Z"`, `"country_code":"GB"`, `"REDIRECT_DEFAULT_URL"`)
	become(t, app, strings.TrimPrefix(next, "/verifications/"), "status", "completed")
	has(t, c.Page(next).Want(http.StatusOK), `class="state passed"`)
	lacks(t, c.Page(next), `value="again"`)
}

// With nothing set up, a list is right a moment after any end, although nobody opens the check.
func TestEmbedded_ListsAfterTheEnd(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "IDV_SWEEP=1h")
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	for _, status := range []string{"completed", "cancelled", "expired", "error"} {
		path := start(t, c)
		become(t, app, strings.TrimPrefix(path, "/verifications/"), "status", status)
		e2etest.Eventually(t, "the list is right: "+status, func() bool {
			return strings.Contains(string(c.Page("/verifications?tab=done").Body), path)
		})
	}
}
