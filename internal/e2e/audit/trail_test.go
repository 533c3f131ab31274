package audit_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// trail is an App whose audit trail can be read.
type trail struct {
	*e2etest.App
	t    *testing.T
	file string
	read int // how many events were looked at
}

func bootTrail(t *testing.T, settings ...string) *trail {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.log")
	return &trail{App: e2etest.Boot(t, append(settings, "AUDIT_LOG="+file)...), t: t, file: file}
}

// events are those that stand in the file.
func (l *trail) events() (all []audit.Event) {
	l.t.Helper()
	text, err := os.ReadFile(l.file)
	if err != nil {
		l.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e audit.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			l.t.Fatalf("%v: %q", err, line)
		}
		all = append(all, e)
	}
	return all
}

// did stops the test unless what was done since the last time is exactly the events wanted,
// of which the members that are not empty count. Where and when is in each of them.
func (l *trail) did(wanted ...audit.Event) {
	l.t.Helper()
	all := l.events()
	fresh := all[l.read:]
	l.read = len(all)
	if len(fresh) != len(wanted) {
		l.t.Fatalf("%d events, want %d: %+v", len(fresh), len(wanted), fresh)
	}
	for i, want := range wanted {
		got := fresh[i]
		if got.At.IsZero() || got.Address == "" || got.Device == "" || got.Request == "" {
			l.t.Errorf("%s lacks when or where: %+v", got.Kind, got)
		}
		if (want.Session == "") != (got.Session == "") {
			l.t.Errorf("%s: session %q", got.Kind, got.Session)
		}
		want.At, want.Address, want.Device, want.Request, want.Session = got.At, got.Address, got.Device, got.Request, got.Session
		if want.Subject == some && got.Subject != "" {
			want.Subject = got.Subject
		}
		if got != want {
			l.t.Errorf("event %+v\nwant  %+v", got, want)
		}
	}
}

// some stands for a subject or a session, whatever it is.
const some = "*"

func event(kind audit.Kind, person string) audit.Event {
	return audit.Event{Kind: kind, Person: person, Session: some}
}

const (
	alice, bob, carol = "alice@sandbox", "bob@sandbox", "carol@sandbox"
	blank             = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)

type members = map[string]any

// Each event comes of a flow that people go through, and no event is of another kind than
// the document lists.
func TestEveryEvent(t *testing.T) {
	l := bootTrail(t)
	l.signIns()
	l.sessions()
	l.authenticators()
	l.transactions()
	l.packages()
	l.verifications()
	var seen []audit.Kind
	for _, e := range l.events() {
		seen = append(seen, e.Kind)
	}
	for _, kind := range audit.Kinds() {
		if !slices.Contains(seen, kind) {
			t.Errorf("no flow here is %s", kind)
		}
	}
	for _, kind := range seen {
		if !slices.Contains(audit.Kinds(), kind) {
			t.Errorf("%s is not among the kinds", kind)
		}
	}
	l.counted()
	l.secretless()
}

func (l *trail) signIns() {
	c := e2etest.Browser(l.t, l.App)
	e2etest.WrongPassword(c, alice).Want(http.StatusConflict)
	refused := audit.Event{Kind: audit.SignInRefused, Person: alice, Method: "password", Reason: "authentication.failed"}
	l.did(refused)
	c.Password(alice)
	accepted := event(audit.SignedIn, alice)
	accepted.Method = "password"
	l.did(accepted)
	c.Password(alice)
	again := event(audit.SteppedUp, alice)
	again.Method = "password"
	l.did(again)
	c.Post("/login", "step", "password", "user", bob, "password", "not it").Want(http.StatusConflict)
	refused.Person = bob
	l.did(refused)
	phone := e2etest.Browser(l.t, l.App)
	for decision, reason := range map[string]string{"accept": "", "refuse": "refused"} {
		id := e2etest.Push(phone, alice).Text("requestID")
		e2etest.Manage(l.t, l.App, "POST", "/push/"+id, members{"decision": decision})
		phone.Decided(id)
		pushed := audit.Event{Kind: audit.SignInRefused, Person: alice, Method: "push", Reason: reason}
		if reason == "" {
			pushed = event(audit.SignedIn, alice)
			pushed.Method = "push"
		}
		l.did(pushed)
		phone = e2etest.Browser(l.t, l.App)
	}
}

func (l *trail) sessions() {
	one, other := e2etest.Browser(l.t, l.App).SignedIn(bob), e2etest.Browser(l.t, l.App).SignedIn(bob)
	l.read += 2
	id := current(other)
	one.Send("DELETE", "/account/sessions/"+id, nil).Want(http.StatusNoContent)
	ended := event(audit.SessionEnded, bob)
	ended.Subject = id
	l.did(ended)
	one.Post("/account", "action", "end-others").Want(http.StatusSeeOther)
	ended.Subject = ""
	l.did(ended)
	one.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	l.did(event(audit.SignedOut, bob))
	one.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	e2etest.Program(l.t, l.App).RequestSignIn(bob)
	l.did()
}

// current is the id of the client's session.
func current(c *e2etest.Client) string {
	for _, s := range sessionsOf(c) {
		if s.Current {
			return s.ID
		}
	}
	return ""
}

func sessionsOf(c *e2etest.Client) []struct {
	ID      string
	Current bool
} {
	var body struct {
		Sessions []struct {
			ID      string
			Current bool
		}
	}
	if err := json.Unmarshal(c.Send("GET", "/account/sessions", nil).Want(http.StatusOK).Body, &body); err != nil {
		c.T.Fatal(err)
	}
	return body.Sessions
}

func (l *trail) authenticators() {
	c := e2etest.Browser(l.t, l.App).SignedIn(alice)
	l.read++
	key := e2etest.NewPasskey(l.App)
	response := c.Create(key, c.RequestRegistration())
	l.did()
	c.FinishRegistration(response).Want(http.StatusOK)
	registered := event(audit.AuthenticatorRegistered, alice)
	registered.Protocol = "FIDO2"
	l.did(registered)
	c.FinishRegistration(response).Want(http.StatusConflict)
	refused := event(audit.AuthenticatorRefused, alice)
	refused.Protocol, refused.Reason = "FIDO2", "ceremony.spent"
	l.did(refused)
	id, _ := c.Authenticators()[0]["id"].(string)
	c.Send("PATCH", "/users/me/authenticators/"+id, members{"name": "Desk"}).Want(http.StatusNoContent)
	renamed := event(audit.AuthenticatorRenamed, alice)
	renamed.Subject = id
	l.did(renamed)
	c.Send("DELETE", "/users/bob@sandbox/authenticators/"+id, nil).Want(http.StatusForbidden)
	c.Send("DELETE", "/users/me/authenticators/x", nil).Want(http.StatusNotFound)
	l.did()
	c.Send("DELETE", "/users/me/authenticators/"+id, nil).Want(http.StatusNoContent)
	renamed.Kind = audit.AuthenticatorRemoved
	l.did(renamed)
	c.Send("POST", "/users/register", `{"userID":"alice","domain":"sandbox","activationType":"onlineMDL"}`).Want(http.StatusOK)
	l.did(event(audit.ActivationPassword, alice))
}

func (l *trail) transactions() {
	c := e2etest.Browser(l.t, l.App).SignedIn(alice)
	l.read++
	for decision, kind := range map[string]audit.Kind{"accept": audit.TransactionConfirmed, "refuse": audit.TransactionRefused} {
		id := c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
		e2etest.Manage(l.t, l.App, "POST", "/push/"+id, members{"decision": decision})
		c.Decided(id)
		decided := event(kind, alice)
		decided.Method = "push"
		if kind == audit.TransactionRefused {
			decided.Reason = "refused"
		}
		l.did(decided)
	}
}

// changed is an event of a package.
func changed(person, operation, id, onBehalfOf string) audit.Event {
	e := event(audit.PackageChanged, person)
	e.Operation, e.Subject, e.OnBehalfOf = operation, id, onBehalfOf
	return e
}

func (l *trail) packages() {
	a, b, c := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Program(l.t, l.App).SignedIn(bob), e2etest.Browser(l.t, l.App).SignedIn(carol)
	l.read += 3
	lease := members{"name": "Lease", "status": "DRAFT", "roles": []any{}, "documents": []any{
		members{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString([]byte(blank))},
	}}
	id := a.Send("POST", "/api/packages", lease, "Idempotency-Key", "lease").Want(http.StatusOK).Text("id")
	l.did(changed(alice, "createPackage", id, ""))
	a.Send("POST", "/api/packages", lease, "Idempotency-Key", "lease").Want(http.StatusOK)
	b.Send("PUT", "/api/packages/"+id, members{"name": "Mine"}).Want(http.StatusNotFound)
	a.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK)
	l.did()
	c.Send("PUT", "/api/packages/"+id, members{"name": "New lease"}).Want(http.StatusOK)
	l.did(changed(carol, "updatePackage", id, alice))
	c.Post("/packages/"+id, "action", "copy").Want(http.StatusSeeOther)
	l.did(changed(carol, "clonePackage", some, ""))
	c.Send("DELETE", "/api/packages/"+id, nil).Want(http.StatusOK)
	l.did(changed(carol, "deletePackage", id, alice))
}

func (l *trail) verifications() {
	a, c := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Browser(l.t, l.App).SignedIn(carol)
	l.read += 2
	id := a.Send("PUT", "/api/transaction/", members{"language": "en", "users": []any{members{"first_name": "Anna", "last_name": "Muster"}}}).Want(http.StatusOK).Text("id")
	e := event(audit.VerificationChanged, alice)
	e.Operation, e.Subject = "createTransaction", id
	l.did(e)
	c.Send("POST", "/api/transactions/mark-for-erasure", members{"grace_period": 30, "transaction_ids": []string{id, "7d1ce6a0-3f0e-4d0c-9f51-64b0a4d7c0aa"}}).Want(http.StatusOK)
	e.Person, e.Operation, e.OnBehalfOf = carol, "markForErasure", alice
	l.did(e)
	c.Post("/verifications/"+id, "action", "take-back").Want(http.StatusSeeOther)
	e.Operation = "unmarkForErasure"
	l.did(e)
}

// The metrics have counted what was done.
func (l *trail) counted() {
	l.t.Helper()
	text := string(e2etest.Asked(l.t, l.App, "/metrics").Want(http.StatusOK).Body)
	for _, line := range []string{
		`countersign_sign_ins_total{method="password",outcome="refused"} 2`,
		`countersign_sign_ins_total{method="push",outcome="accepted"} 1`,
		`countersign_sign_ins_total{method="push",outcome="refused"} 1`,
		`countersign_registrations_total{outcome="accepted",protocol="FIDO2"} 1`,
		`countersign_registrations_total{outcome="refused",protocol="FIDO2"} 1`,
		`countersign_audit_events_total{event="session.signed-out"} 1`,
		`countersign_audit_events_lost_total 0`,
		`countersign_event_streams 0`,
		`countersign_uploads_in_flight 0`,
		`countersign_redis_pool_timeouts_total 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			l.t.Errorf("/metrics lacks %s", line)
		}
	}
	for _, pattern := range []string{
		`countersign_redis_call_duration_seconds_count\{outcome="ok"\} [1-9]`,
		`countersign_redis_connections\{state="(idle|used)"\} [1-9]`,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			l.t.Errorf("/metrics lacks %s", pattern)
		}
	}
}

// No secret stands in the trail.
func (l *trail) secretless() {
	l.t.Helper()
	text, err := os.ReadFile(l.file)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, secret := range []string{"Sandbox-1!", "not it", "Bearer", "countersign="} {
		if strings.Contains(string(text), secret) {
			l.t.Errorf("the trail tells %q", secret)
		}
	}
}

// docs/operating.md lists every kind of event, every member, and no event besides.
func TestTheEventsAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "## The audit trail")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	var told []audit.Kind
	for row := range strings.Lines(chapter) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, name := range regexp.MustCompile("`([a-z-]+\\.[a-z-]+)`").FindAllStringSubmatch(cell, -1) {
			if strings.HasPrefix(row, "| `") {
				told = append(told, audit.Kind(name[1]))
			}
		}
	}
	if !slices.Equal(told, audit.Kinds()) {
		t.Errorf("document %q\nkinds    %q", told, audit.Kinds())
	}
	source, err := os.ReadFile("../../audit/event.go")
	if err != nil {
		t.Fatal(err)
	}
	fields := regexp.MustCompile(`json:"(\w+)`).FindAllStringSubmatch(string(source), -1)
	if len(fields) < 12 {
		t.Fatalf("only %d members found", len(fields))
	}
	for _, field := range fields {
		if !strings.Contains(chapter, "`"+field[1]+"`") {
			t.Errorf("the document says nothing of %s", field[1])
		}
	}
	kinds := regexp.MustCompile(`Kind += "|^\t\w+ Kind = "`).FindAllString(string(source), -1)
	if len(kinds) != len(audit.Kinds()) {
		t.Errorf("%d kinds are declared, Kinds has %d", len(kinds), len(audit.Kinds()))
	}
}
