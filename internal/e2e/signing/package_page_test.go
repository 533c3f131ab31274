package signing_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

var has, lacks, lease = e2etest.Says, e2etest.SaysNone, e2etest.Lease

// people are the participants, signed in to one program.
type people struct{ alice, bob, carol *e2etest.Client }

func meet(t *testing.T, app *e2etest.App) people {
	t.Helper()
	p := people{e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")}
	indexed(p.alice)
	return p
}

func page(id string) string { return "/packages/" + url.PathEscape(id) }

func TestPackages_SharedInstallation(t *testing.T) {
	t.Parallel()
	e2etest.Share(
		t, e2etest.Boot(t), aPackageIsSigned, aSignerWhoOwesAFileIsNotDone, outsiders, events, faultsOfThePlatform, aLostAnswerMakesNoSecond,
		pagesAreShownToWhoeverHasTheDocument, aHiddenDocumentHasNoPages, whatCannotBeShown, whatIsMissingInAPicture,
		aPackageShowsItsPages, aDocumentThatCannotBeShownLinksToItsFile, theCodeIsThePage,
	)
}

// Where Carol is no operator, she signs like anybody.
func TestPackage_SignerView(t *testing.T) {
	t.Parallel()
	e2etest.Share(t, e2etest.Boot(t, "OPERATORS=frank@sandbox"), whoAsks, howFarItIs, whoDeclined, attachmentsAreThere)
}

// Two people sign in order; each sees their own state, and of others only what they may.
// Nothing needs scripts.
func aPackageIsSigned(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	id := create(p.alice, lease("Lease of the mill", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	path := page(id)
	has(t, p.alice.Page(path).Want(http.StatusOK), "<h1>Lease of the mill</h1>", "Bob Signer", "Has not signed yet", "Signs later", ">Remind<", ">Cancel this package<", ">Copy as new<", ">Audit trail<", ">Open document<", ">Download<")
	lacks(t, p.alice.Page(path), "Sign now", "Finished PDF", "default-consent")
	p.alice.Page(path + "/sign").Want(http.StatusSeeOther)
	has(t, p.bob.Page(path).Want(http.StatusOK), ">Sign now<", "Bob Signer", "Carol Signer", ">Open document<")
	lacks(t, p.bob.Page(path), "carol@sandbox", "Signs later", ">Remind<", ">Cancel this package<", ">Copy as new<", ">Audit trail<", "sandbox@sandbox.example")
	p.bob.Page(path + "/audit").Want(http.StatusConflict)
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	if to := p.bob.Page(path + "/sign").Want(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(to, app.SandboxURL()) {
		t.Errorf("Bob signs at %q", to)
	}
	if calls := e2etest.Journal(t, app); !slices.Equal(calls, []string{"getPackage", "createSignerToken"}) {
		t.Errorf("before the signing page opens the platform is asked %q", calls)
	}
	has(t, p.bob.Page(path+"?from=signing"), "You have not signed yet.")

	e2etest.Sign(t, app, p.bob, id)
	has(t, p.bob.Page(path+"?from=signing"), "You have signed.", "Signed ·")
	lacks(t, p.bob.Page(path), "Sign now")
	has(t, p.bob.Page("/packages?tab=sent"), "Lease of the mill")
	has(t, p.alice.Page(path), "Signed ·", "Has not signed yet")
	has(t, p.carol.Page(path), "Sign now")
	e2etest.Sign(t, app, p.carol, id)
	for _, c := range []*e2etest.Client{p.alice, p.bob, p.carol} {
		has(t, c.Page(path).Want(http.StatusOK), "Completed", ">Finished PDF<", ">Download finished PDF<", ">Evidence<", ">Audit trail<")
		lacks(t, c.Page(path), "Sign now", ">Remind<", ">Cancel this package<", "Has not signed yet")
		has(t, c.Page(path+"/audit").Want(http.StatusOK), "<table", "Signing confirmed", ">PDF<", "/evidence/summary")
		for _, file := range []string{"/documents/lease/pdf?inline=yes", "/documents/lease/pdf", "/documents/zip", "/evidence/summary"} {
			r := c.Send("GET", "/api"+path+file, nil).Want(http.StatusOK)
			if kind, _, _ := strings.Cut(r.Header.Get("Content-Disposition"), ";"); (kind == "inline") != strings.HasSuffix(file, "inline=yes") {
				t.Errorf("%s is %s", file, kind)
			}
		}
	}
}

// The sender reminds, copies and cancels; doing so twice does no harm.
func TestPackage_SenderActions(t *testing.T) {
	app := e2etest.Boot(t)
	p := meet(t, app)
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	path := page(id)
	if to := p.alice.Post(path, "action", "remind").Want(http.StatusSeeOther).Header.Get("Location"); to != path+"?notice=package-reminded" {
		t.Errorf("it leads to %q", to)
	}
	has(t, p.alice.Page(path+"?notice=package-reminded"), `role="status">Reminder sent<`)
	outbox := string(e2etest.Manage(t, app, "GET", "/outbox", nil).Body)
	if n := strings.Count(outbox, `"bob@sandbox.example"`); n != 2 || strings.Contains(outbox, `"carol@sandbox.example"`) {
		t.Errorf("Bob got %d messages: %s", n, outbox)
	}

	copied := p.alice.Post(path, "action", "copy").Want(http.StatusSeeOther).Header.Get("Location")
	if copied == path || !strings.HasPrefix(copied, "/packages/new/") {
		t.Fatalf("the copy is at %q", copied)
	}
	has(t, p.alice.Page("/packages?tab=drafts"), "Copy of Lease")
	has(t, p.alice.Page(copied).Want(http.StatusOK), "Copy of Lease", "bob@sandbox.example")
	p.bob.Page(strings.TrimSuffix(copied, "?notice=package-copied")).Want(http.StatusNotFound)

	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindSubmatch(p.alice.Page(path).Body)
	twice := []string{}
	for range 2 {
		twice = append(twice, p.alice.Post(path, "action", "copy", "once", string(once[1])).Want(http.StatusSeeOther).Header.Get("Location"))
	}
	if twice[0] != twice[1] || twice[0] == copied {
		t.Errorf("the form, sent twice, made %q", twice)
	}

	asked := p.alice.Page(path + "?ask=cancel").Want(http.StatusOK)
	if !regexp.MustCompile(`(?s)<textarea id="reason".*>Go back<.*<button[^>]*>Cancel this package<`).Match(asked.Body) {
		t.Errorf("it is not asked: %s", asked.Body)
	}
	has(t, p.alice.Post(path, "action", "cancel", "reason", " ").Want(http.StatusBadRequest), `aria-invalid="true"`, `id="reason-wrong"`, ">Go back<")
	p.alice.Post(path, "action", "cancel", "reason", "The mill is <sold>.").Want(http.StatusSeeOther)
	for range 2 {
		p.alice.Post(path, "action", "cancel", "reason", "Again").Want(http.StatusConflict)
		p.alice.Post(path, "action", "remind").Want(http.StatusConflict)
	}
	for who, c := range map[string]*e2etest.Client{"you": p.alice, "Alice Archer": p.bob} {
		has(t, c.Page(path), ">Cancelled by "+who+"<", "It can no longer be signed.", "The mill is &lt;sold&gt;.")
		has(t, c.Page("/packages?tab=done"), ">Cancelled by "+who+"<")
		lacks(t, c.Page(path), "Sign now", ">Remind<", ">Declined<", "asks you to sign", "Waiting for you")
	}
}

// Outsiders learn nothing about a package, in whatever way they ask.
func outsiders(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	id := create(p.alice, lease("Lease", "SENT", "carol@sandbox.example"))
	draft := create(p.alice, lease("Draft", "DRAFT", "bob@sandbox.example"))
	for _, other := range []string{page(id), page(draft), "/packages/nothing-of-this-name", "/packages/%2e%2e", "/packages/a%2Fb", "/packages/" + strings.Repeat("a", 256), "/packages/ä"} {
		for _, what := range []string{"", "/sign", "/audit", "/events", "?ask=cancel"} {
			if strings.Contains(other, "%2") && what != "" {
				continue
			}
			p.bob.Page(other + what).Want(http.StatusNotFound)
		}
		p.bob.Post(other, "action", "cancel", "reason", "no").Want(http.StatusNotFound)
	}
	known, unknown := p.bob.Page(page(id)), p.bob.Page("/packages/nothing-of-this-name")
	number := regexp.MustCompile(`<code[^>]*>[^<]*</code>|nonce="[^"]*"`)
	if a, b := number.ReplaceAllString(string(known.Body), ""), number.ReplaceAllString(string(unknown.Body), ""); a != strings.ReplaceAll(b, "nothing-of-this-name", url.PathEscape(id)) && a != b {
		t.Errorf("the two are told apart: %s\n%s", a, b)
	}
	has(t, p.carol.Page(page(draft)).Want(http.StatusOK), "Continue editing") // an operator
	p.alice.Post(page(id), "action", "nothing").Want(http.StatusBadRequest)
	bob := create(p.alice, lease("For Bob", "SENT", "bob@sandbox.example"))
	for _, action := range []string{"remind", "copy", "cancel"} {
		p.bob.Post(page(bob), "action", action, "reason", "no").Want(http.StatusForbidden)
	}
	if r := e2etest.Browser(t, app).Page(page(bob)).Want(http.StatusSeeOther); !strings.HasPrefix(r.Header.Get("Location"), "/login?next=") {
		t.Errorf("signed out it leads to %q", r.Header.Get("Location"))
	}
}
