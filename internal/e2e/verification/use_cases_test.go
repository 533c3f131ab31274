package verification_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// way is one of the two ways to a use case: JSON below /api, or a page.
type way func(c *e2etest.Client, id string) e2etest.Reply

// useCase is an action on a transaction of alice's, with the effects that it must have
// by JSON and by page.
type useCase struct {
	name, by string
	// later is the time between the start of the transaction and the action.
	later     time.Duration
	prepare   func(t *testing.T, app *e2etest.App, id string)
	api, page way
	// refused is the status of a refusal; 0 if the action is allowed.
	refused int
	// asked lists the calls that the platform must get. A change ends with
	// getTransaction, by the live page of a watcher.
	asked []string
	// operation is the operation in the audit trail; "" if there is no event.
	operation string
	// item is the item in the index: status and result; erasedIn is in how many days it is
	// erased, if it was marked for that.
	item     string
	erasedIn int
}

func sends(method, path string, body any) way {
	return func(c *e2etest.Client, id string) e2etest.Reply {
		return operation{method: method, path: path, body: body}.of(c, id)
	}
}

func posts(fields ...string) way {
	return func(c *e2etest.Client, id string) e2etest.Reply { return c.Post("/verifications/"+id, fields...) }
}

func opens(below string) way {
	return func(c *e2etest.Client, id string) e2etest.Reply { return c.Page("/verifications/" + id + below) }
}

// unmarks takes an erasure back.
func unmarks(c *e2etest.Client, id string) e2etest.Reply {
	return c.Send("POST", "/api/transactions/unmark-for-erasure", map[string]any{"transaction_ids": []string{id}})
}

// marks has the transaction erased after some days.
func marks(days int) way {
	return func(c *e2etest.Client, id string) e2etest.Reply {
		return c.Send("POST", "/api/transactions/mark-for-erasure", map[string]any{"grace_period": days, "transaction_ids": []string{id}})
	}
}

// platformSays has the platform answer the next call of an operation with another
// transaction.
func platformSays(operation string) func(*testing.T, *e2etest.App, string) {
	return func(t *testing.T, app *e2etest.App, _ string) {
		t.Helper()
		lie(t, app, operation, map[string]any{"id": unknownID, "status": "cancelled", "created": "2026-01-02T03:04:05Z"})
	}
}

func marked(t *testing.T, app *e2etest.App, id string) {
	t.Helper()
	carol := operator(t, app)
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	marks(7)(carol, id).Want(http.StatusOK)
	e2etest.Eventually(t, "the page has heard of it", func() bool { return slices.Contains(e2etest.Journal(t, app), byPage) })
}

const (
	one    = "/transaction/{id}"
	isNew  = "new Undefined"
	byPage = "getTransaction" // a page of alice's reads what was changed
)

var (
	cancels    = sends("PUT", one+"/event", map[string]any{"trigger": "transaction_cancelled"})
	asksTrail  = sends("POST", one+"/generate-audit-trail", nil)
	takesToken = sends("POST", one+"/token", map[string]any{"role": "customer"})
)

func useCases() []useCase {
	return []useCase{
		{name: "read", by: "alice", api: sends("GET", one, nil), page: opens(""), asked: []string{"getTransaction"}, item: isNew},
		{name: "read, operator", by: "carol", api: sends("GET", one, nil), page: opens(""), asked: []string{"getTransaction"}, item: isNew},
		{name: "read, outsider", by: "bob", api: sends("GET", one, nil), page: opens(""), refused: 404, asked: []string{"getTransaction"}, item: isNew},
		{name: "read another one", by: "alice", prepare: platformSays("getTransaction"), api: sends("GET", one, nil), page: opens(""), refused: 502, asked: []string{"getTransaction"}, item: isNew},
		{
			name: "cancel", by: "alice", api: cancels, page: posts("action", "cancel"),
			asked: []string{"getTransaction", "cancelTransaction", byPage}, operation: "cancelTransaction", item: "cancelled Undefined",
		},
		{
			name: "audit trail", by: "alice", api: asksTrail, page: posts("action", "audit-trail"),
			asked: []string{"getTransaction", "generateAuditTrail", byPage}, operation: "generateAuditTrail", item: isNew,
		},
		{
			name: "play", by: "alice", later: 31 * time.Minute, api: takesToken, page: opens("/continue"),
			asked: []string{"getTransaction", "createSessionToken", byPage}, operation: "createSessionToken", item: isNew,
		},
		{name: "play, operator", by: "carol", later: 31 * time.Minute, api: takesToken, page: opens("/continue"), refused: 404, item: isNew},
		{
			name: "erase", by: "carol", api: marks(7), page: posts("action", "erase", "days", "7"),
			asked: []string{"markForErasure", byPage}, operation: "markForErasure", item: isNew, erasedIn: 7,
		},
		{
			name: "erase at once", by: "carol", api: marks(0), page: posts("action", "erase", "days", "0"),
			asked: []string{"markForErasure", byPage}, operation: "markForErasure",
		},
		{
			name: "take back", by: "carol", prepare: marked, api: unmarks, page: posts("action", "take-back"),
			asked: []string{"unmarkForErasure", byPage}, operation: "unmarkForErasure", item: isNew,
		},
	}
}

// behind sets the clock back while a page watches, so that meanwhile the page is read again
// only after a hint.
const behind = 20 * time.Second

// program is a program with a clock and the file of its audit trail.
type program struct {
	app   *e2etest.App
	clock *e2etest.Clock
	file  string
}

// What comes of a use case is the same by JSON and by page: what the platform is asked for, what
// stands in the audit trail and in the index, and that live pages hear of it.
func TestVerification_SameByJSONAndPage(t *testing.T) {
	t.Parallel()
	d := program{file: filepath.Join(t.TempDir(), "audit.log")}
	d.app, d.clock = e2etest.BootWithClock(t, "IDV_ERASURE=starter", "IDV_SWEEP=24h", "RATE_VERIFICATION=off", "SESSION_IDLE=12h",
		"STEP_UP_AGE=12h", "ACCOUNT_CHECK=off", "AUDIT_LOG="+d.file)
	for _, u := range useCases() {
		t.Run(u.name+" by JSON", func(t *testing.T) { d.carriesOut(t, u, e2etest.Program(t, d.app).SignedIn(u.by+"@sandbox"), u.api) })
		t.Run(u.name+" by page", func(t *testing.T) { d.carriesOut(t, u, e2etest.Browser(t, d.app).SignedIn(u.by+"@sandbox"), u.page) })
	}
	t.Run("a form that is sent twice", d.startOnce)
}

func (d program) carriesOut(t *testing.T, u useCase, c *e2etest.Client, through way) {
	alice := e2etest.Program(t, d.app).SignedIn("alice@sandbox")
	id := started(alice)
	d.clock.Advance(u.later)
	page := watch(t, alice, id, begins)
	d.clock.Advance(-behind)
	hintedUntil := time.Now().Add(behind)
	if u.prepare != nil {
		u.prepare(t, d.app, id)
	}
	if u.erasedIn > 0 { // by the platform's clock, which may be another day by now
		u.item += " " + d.clock.Now().UTC().AddDate(0, 0, u.erasedIn).Format(time.DateOnly)
	}
	before := len(audited(t, d.file))
	e2etest.Manage(t, d.app, "DELETE", "/journal", nil)
	if r := through(c, id); (u.refused == 0) != (r.Status < 400) || u.refused != 0 && r.Status != u.refused {
		t.Errorf("it is answered %d %s", r.Status, r.Body)
	}
	e2etest.Eventually(t, fmt.Sprintf("the platform is asked for %v", u.asked), func() bool {
		return slices.Equal(slices.Compact(e2etest.Journal(t, d.app)), u.asked) // a page may read twice
	})
	if time.Now().After(hintedUntil) {
		t.Error("the page was not hinted")
	}
	e2etest.Manage(t, d.app, "DELETE", "/faults", nil)
	want := []audit.Event{}
	if u.operation != "" {
		e := audit.Event{Kind: audit.VerificationChanged, Person: u.by + "@sandbox", Operation: u.operation, Subject: id}
		if u.by != "alice" {
			e.OnBehalfOf = "alice@sandbox"
		}
		want = append(want, e)
	}
	if u.name == "read, operator" {
		want = append(want, audit.Event{Kind: audit.OperatorRead, Person: "carol@sandbox", OnBehalfOf: "alice@sandbox", Operation: "getTransaction", Subject: id})
	}
	if got := audited(t, d.file)[before:]; !slices.Equal(got, want) {
		t.Errorf("the audit trail has %+v, want %+v", got, want)
	}
	e2etest.Eventually(t, "the index has "+u.item, func() bool { return itemOf(alice, id) == u.item })
	page.Body.Close()
	e2etest.Eventually(t, "the page watches no more", func() bool {
		return e2etest.Has(e2etest.Asked(t, d.app, "/metrics").Body, "countersign_event_streams 0\n")
	})
	d.clock.Advance(behind)
}

// audited are the events of the audit trail, without when and where.
func audited(t *testing.T, file string) (all []audit.Event) {
	t.Helper()
	for _, e := range e2etest.AuditTrail(t, file) {
		all = append(all, audit.Event{Kind: e.Kind, Person: e.Person, OnBehalfOf: e.OnBehalfOf, Operation: e.Operation, Subject: e.Subject, Reason: e.Reason})
	}
	return all
}

// itemOf returns a transaction from the client's own list: status, result and day of the
// erasure; "" if it is not listed.
func itemOf(c *e2etest.Client, id string) string {
	c.T.Helper()
	var list struct {
		Results []struct{ ID, Status, Result, ErasureAt string }
	}
	if err := json.Unmarshal(c.Send("GET", "/api/transactions?to=100", nil).Want(http.StatusOK).Body, &list); err != nil {
		c.T.Fatal(err)
	}
	for _, one := range list.Results {
		if one.ID == id {
			day, _, _ := strings.Cut(one.ErasureAt, "T")
			return strings.TrimSpace(one.Status + " " + one.Result + " " + day)
		}
	}
	return ""
}

var onceToken = regexp.MustCompile(`name="once" value="([^"]+)"`)

// startOnce sends a form twice, which starts one verification, as a key does, and both lead
// to it.
func (d program) startOnce(t *testing.T) {
	app, file := d.app, d.file
	program, page := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	form := map[string]string{"once": onceToken.FindStringSubmatch(string(page.Page("/verifications/new").Body))[1], "first_name": "Anna", "last_name": "Muster"}
	for name, start := range map[string]func() string{
		"JSON": func() string { return keyed(program, "once", input()).Want(http.StatusOK).Text("id") },
		"page": func() string {
			return strings.TrimPrefix(send(t, page, form).Want(http.StatusSeeOther).Header.Get("Location"), "/verifications/")
		},
	} {
		before := len(audited(t, file))
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		id := start()
		if again := start(); again != id {
			t.Errorf("%s: it starts %s and %s", name, id, again)
		}
		if asked := e2etest.Journal(t, app); !slices.Equal(asked, []string{"createTransaction", "getTransaction"}) {
			t.Errorf("%s: the platform is asked for %v", name, asked)
		}
		want := audit.Event{Kind: audit.VerificationChanged, Person: "alice@sandbox", Operation: "createTransaction", Subject: id}
		if got := audited(t, file)[before:]; !slices.Equal(got, []audit.Event{want}) {
			t.Errorf("%s: the audit trail has %+v", name, got)
		}
		if got := itemOf(program, id); got != isNew {
			t.Errorf("%s: the index has %q", name, got)
		}
	}
	form["first_name"] = "Berta"
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	send(t, page, form).Want(http.StatusSeeOther)
	if asked := e2etest.Journal(t, app); !slices.Equal(asked, []string{"createTransaction"}) {
		t.Errorf("another form: the platform is asked for %v", asked)
	}
}
