package verification_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

var has, lacks = e2etest.Says, e2etest.SaysNone

// start starts a verification by its form, and returns the path of its page.
func start(t *testing.T, c *e2etest.Client) string {
	t.Helper()
	r := send(t, c, map[string]string{"first_name": "Ada", "last_name": "Archer", "email": "ada@sandbox.example", "country": "GB", "dob": "1990-12-31"})
	return r.Want(http.StatusSeeOther).Header.Get("Location")
}

// send sends the form that starts a verification.
func send(t *testing.T, c *e2etest.Client, fields map[string]string) e2etest.Reply {
	t.Helper()
	var all []string
	for name, value := range fields {
		all = append(all, name, value)
	}
	return c.PostParts("/verifications/new", all...)
}

func TestVerifications(t *testing.T) {
	t.Parallel()
	e2etest.Share(
		t, e2etest.Boot(t, "RATE_LOOKUP=off", "RATE_VERIFICATION=off", "IDV_SWEEP=1h"), pages, resultAndErasure, newVerificationIsRefused,
		aCheckOfOneself, tryAgain, aKeyCreatesOne, onceAfterFailures, onceWithForeignPages, aLostAnswerStartsNoSecond,
		whoMayWhatInEachState, verificationsAreAskedFor, tokensAreTheStarters, passed, images, erasureWantsItsIDs,
		outsidersLearnNothing, outsidersSeeNothing, streamsAreForTheirPeople,
		platformLies, answerWithoutItsStarter, forgedStarters, noTrickGoesBy, methods,
	)
}

// somebodyNew returns a person of whom there is nothing yet.
func somebodyNew(t *testing.T, app *e2etest.App) (user string) {
	t.Helper()
	_, name, _ := strings.Cut(strings.ToLower(t.Name()), "/")
	e2etest.Manage(t, app, "PUT", "/users/"+name+"@sandbox", map[string]any{"passKey": "Sandbox-1!"})
	return name + "@sandbox"
}

// A person starts a verification, finds it on their list, cancels it, and finds it there.
func pages(t *testing.T, app *e2etest.App) {
	c, outsider := e2etest.Browser(t, app).SignedIn(somebodyNew(t, app)), e2etest.Browser(t, app).SignedIn("bob@sandbox")
	has(t, c.Page("/").Want(http.StatusOK), `href="/verifications"`)
	has(t, c.Page("/verifications/new").Want(http.StatusOK), "United Kingdom", "Date of birth")
	path := start(t, c)
	id := strings.TrimPrefix(path, "/verifications/")
	page := c.Page(path).Want(http.StatusOK)
	has(t, page, "In progress", "Ada Archer", "of Ada Archer", ">Continue in this browser<", ">Cancel this check<", ">Make the audit trail<", `data-status="new"`, `<p class="back"><a href="/verifications">`)
	lacks(t, page, ">Erase<", ">Evidence<", "access_token")
	has(t, c.Page("/verifications").Want(http.StatusOK), path, "1–1 of 1")
	lacks(t, outsider.Page("/verifications").Want(http.StatusOK), path)
	c.Page("/verifications/x").Want(http.StatusNotFound)
	if to := c.Page(path + "/continue").Want(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(to, app.SandboxURL()) {
		t.Errorf("it goes on at %q", to)
	}
	c.Post(path, "action", "audit-trail").Want(http.StatusSeeOther)
	asked := c.Page(path + "?ask=cancel").Want(http.StatusOK)
	if !regexp.MustCompile(`(?s)>Go back<.*>Cancel this check<`).Match(asked.Body) {
		t.Errorf("it is not asked: %s", asked.Body)
	}
	c.Post(path, "action", "cancel").Want(http.StatusSeeOther)
	has(t, c.Page(path).Want(http.StatusOK), "Cancelled")
	c.Post(path, "action", "cancel").Want(http.StatusConflict)
	lacks(t, c.Page("/verifications"), path)
	has(t, c.Page("/verifications?tab=done"), path, "Cancelled", "1–1 of 1")
	c.Post(path, "action", "erase").Want(http.StatusForbidden)
	if e2etest.Browser(t, app).Page(path).Want(http.StatusSeeOther).Header.Get("Location") != "/login?next=%2Fverifications%2F"+id {
		t.Error("signed out it does not lead to the sign-in")
	}
}

// The result is on the page, in plain words, and a number of days is read as it is typed.
func resultAndErasure(t *testing.T, app *e2etest.App) {
	c, path := e2etest.Browser(t, app).SignedIn("carol@sandbox"), "/verifications/"+atPlatform(t, app)
	become(t, app, strings.TrimPrefix(path, "/verifications/"), "result", "Failed")
	become(t, app, strings.TrimPrefix(path, "/verifications/"), "status", "completed")
	has(t, c.Page(path).Want(http.StatusOK), "Completed", "Failed", "could not be confirmed", ">Evidence<", ">Erase<")
	lacks(t, c.Page(path), ">Cancel this check<", ">Continue in this browser<")
	has(t, c.Post(path, "action", "erase", "days", "x").Want(http.StatusBadRequest), `aria-invalid="true"`, `value="x"`)
	c.Post(path, "action", "erase", "days", "７").Want(http.StatusSeeOther)
	has(t, c.Page(path), "Will be erased on", ">Cancel the erasure<")
}

// Errors in the form are shown beside the inputs, and the typed values stay.
func newVerificationIsRefused(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	r := send(t, c, map[string]string{"last_name": "Archer", "email": "not an address", "phone": "12", "country": "UK"}).Want(http.StatusBadRequest)
	has(t, r, `id="first_name-wrong"`, `id="email-wrong"`, `id="phone-wrong"`, `id="country-wrong"`, `value="Archer"`, `value="not an address"`, "Please check")
	if n := strings.Count(string(r.Body), "autofocus"); n != 1 {
		t.Errorf("%d have the focus", n)
	}
	send(t, c, map[string]string{"first_name": "Ada", "last_name": "Archer", "email": "ada\u200b@sandbox.example"}).Want(http.StatusBadRequest)
	send(t, c, map[string]string{"first_name": "Ada", "last_name": "Archer", "email": "ａｄａ＠sandbox\u3002example"}).Want(http.StatusSeeOther)
	c.Send("POST", "/verifications/new", "x", "Content-Type", "text/plain", "Accept", "text/html").Want(http.StatusUnsupportedMediaType)
}
