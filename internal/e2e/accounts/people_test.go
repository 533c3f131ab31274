package accounts_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

const (
	carol = "carol@sandbox" // an operator
	// address and another are alice's e-mail addresses, which production takes.
	address, another = "alice@acme.com", "other@acme.com"
)

// site is two nodes with a readable audit trail.
type site struct {
	nodes       []*e2etest.App
	clock       *e2etest.Clock
	file        string
	operator    *e2etest.Client
	here, there *e2etest.Client // alice's sessions
}

func open(t *testing.T, settings ...string) *site {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.log")
	s := &site{file: file}
	s.nodes, s.clock = e2etest.BootNodes(t, 2, append(settings, "AUDIT_LOG="+file)...)
	becomes(t, s.nodes[0], members{"email": address})
	s.operator = e2etest.Program(t, s.nodes[0]).SignedIn(carol)
	s.here, s.there = e2etest.Program(t, s.nodes[0]).SignedIn(alice), e2etest.Program(t, s.nodes[1]).SignedIn(alice)
	return s
}

// events returns the events of the trail of those kinds.
func (s *site) events(t *testing.T, kinds ...audit.Kind) []audit.Event {
	t.Helper()
	return slices.DeleteFunc(e2etest.AuditTrail(t, s.file), func(e audit.Event) bool { return !slices.Contains(kinds, e.Kind) })
}

// last returns the last event of the trail, which must be of that kind.
func (s *site) last(t *testing.T, kind audit.Kind) audit.Event {
	t.Helper()
	all := s.events(t, audit.Kinds()...)
	if len(all) == 0 || all[len(all)-1].Kind != kind {
		t.Fatalf("the last event is no %s: %+v", kind, all)
	}
	return all[len(all)-1]
}

const person = "/people/" + alice

// For a user who is no operator there is nothing at any of the addresses.
func TestPeople_OperatorsOnly(t *testing.T) {
	s := open(t)
	for _, r := range []struct{ method, path string }{
		{"GET", "/people"}, {"GET", person}, {"GET", "/people/nobody@sandbox"}, {"DELETE", person + "/sessions"}, {"DELETE", person + "/sessions/x"},
		{"DELETE", person + "/authenticators/x"}, {"DELETE", "/people/x/sessions"},
		{"GET", "/people?userID=ali"}, {"POST", person + "/unlock"}, {"POST", person + "/enable"},
	} {
		s.here.Send(r.method, r.path, members{"reason": "curious"}, "Accept", "application/json").Refused(http.StatusNotFound, "request.not-found")
		e2etest.Program(t, s.nodes[0]).Send(r.method, r.path, nil, "Accept", "application/json").Refused(http.StatusUnauthorized, "session.required")
	}
	s.here.Post(person, "action", "end-all", "reason", "curious").Want(http.StatusNotFound)
	s.here.Page(person).Want(http.StatusNotFound)
	e2etest.Browser(t, s.nodes[0]).Page(person).Want(http.StatusSeeOther)
	s.there.Send("GET", "/session", nil).Want(http.StatusOK)
	if all := s.events(t, audit.OperatorRead, audit.OperatorEnded); len(all) > 0 {
		t.Errorf("there are events: %+v", all)
	}
}

// An operator sees a person's account as it is now, as JSON and as a page.
func TestPersonPage_ShowsAccount(t *testing.T) {
	s := open(t)
	for _, at := range []*e2etest.Client{s.operator, s.operator.On(s.nodes[1])} {
		r := at.Send("GET", "/people/Alice@Sandbox", nil, "Accept", "application/json").Want(http.StatusOK)
		user, _ := r.Member("user").(members)
		if user["id"] != alice || user["status"] != "active" || user["email"] != address || len(r.Member("sessions").([]any)) != 2 {
			t.Errorf("alice is %s", r.Body)
		}
	}
	if e := s.last(t, audit.OperatorRead); e.Person != carol || e.OnBehalfOf != alice || e.Operation != "getPerson" {
		t.Errorf("the event is %+v", e)
	}
	if !strings.Contains(string(s.operator.Page(person).Want(http.StatusOK).Body), "End all sessions") {
		t.Error("the page offers nothing")
	}
	s.operator.Send("GET", person, nil).Want(http.StatusOK).Member("user") // a client that does not say gets JSON
	becomes(t, s.nodes[0], members{"status": "locked"})
	if user, _ := s.operator.Send("GET", person, nil).Member("user").(members); user["status"] != "locked" {
		t.Errorf("alice is %v", user)
	}
	s.operator.Send("GET", "/people/nobody@sandbox", nil).Refused(http.StatusNotFound, "request.not-found")
	s.operator.Page("/people/nobody@sandbox").Want(http.StatusNotFound)
	s.operator.Send("GET", "/people/nobody", nil).Refused(http.StatusNotFound, "request.not-found")
	for _, typed := range []string{"user=+ALICE@sandbox", "user=%E2%80%8Balice@sandbox%C2%A0", "userID=ali%C2%ADce@sandbox%EF%BB%BF", "userID=%E2%80%AAalice@sandbox%E2%80%AC"} {
		if to := s.operator.Page("/people?" + typed).Want(http.StatusSeeOther).Header.Get("Location"); to != person {
			t.Errorf("%s leads to %s", typed, to)
		}
	}
	s.operator.Page("/people?user=alice").Want(http.StatusBadRequest)
}

// What an operator ends is over on every node, also while the platform is away, and the
// trail has the reason.
func TestSessions_EndedByOperator(t *testing.T) {
	s := open(t)
	e2etest.Manage(t, s.nodes[0], "POST", "/faults", members{"operation": "getUser", "status": 503, "times": 0})
	list := s.here.Send("GET", "/account/sessions", nil).Want(http.StatusOK).Member("sessions").([]any)
	var other string
	for _, one := range list {
		if session := one.(members); session["current"] == false {
			other = session["id"].(string)
		}
	}
	s.operator.Send("DELETE", person+"/sessions/"+other, members{"reason": "a stolen phone"}).Want(http.StatusNoContent)
	s.there.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	s.here.Send("GET", "/session", nil).Want(http.StatusOK)
	if e := s.last(t, audit.OperatorEnded); e.Person != carol || e.OnBehalfOf != alice || e.Subject != other || e.Reason != "a stolen phone" {
		t.Errorf("the event is %+v", e)
	}
	s.operator.Send("DELETE", person+"/sessions/"+other, members{"reason": "again"}).Refused(http.StatusNotFound, "session.unknown")

	for _, body := range []any{nil, members{}, members{"reason": "  "}, members{"reason": strings.Repeat("é", 501)}, members{"reason": "two\nlines"}, members{"reason": "a\u202eb"}} {
		if r := s.operator.Send("DELETE", person+"/sessions", body).Refused(http.StatusBadRequest, "request.invalid"); e2etest.Pointers(t, r) != "/reason" {
			t.Errorf("%v: %s", body, r.Body)
		}
	}
	s.here.Send("GET", "/session", nil).Want(http.StatusOK)
	s.operator.Send("DELETE", person+"/sessions?reason=left%20the%20company", nil).Want(http.StatusNoContent)
	s.here.On(s.nodes[1]).Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	if e := s.last(t, audit.OperatorEnded); e.Subject != "" || e.Reason != "left the company" {
		t.Errorf("the event is %+v", e)
	}
	s.operator.Send("DELETE", person+"/sessions", members{"reason": strings.Repeat("é", 500)}).Want(http.StatusNoContent)
	s.operator.Send("DELETE", "/people/nobody@sandbox/sessions", members{"reason": "nobody there"}).Want(http.StatusNoContent)
	s.operator.Page(person).Want(http.StatusOK) // the page does without the platform
	s.operator.Post(person, "action", "end-all", "reason", "").Want(http.StatusBadRequest)
	s.operator.Post(person, "action", "end-all", "reason", "by\r\nhand").Want(http.StatusSeeOther)
	if e := s.last(t, audit.OperatorEnded); e.Reason != "by hand" {
		t.Errorf("the event is %+v", e)
	}
}

// Removing an authenticator needs a fresh sign-in, and for the last one a confirmation.
func TestAuthenticator_RemovedByOperator(t *testing.T) {
	s := open(t)
	s.here.Register(e2etest.NewPasskey(s.nodes[0]))
	first, _ := s.here.Authenticators()[0]["id"].(string)
	e2etest.Eventually(t, "the last events are kept", func() bool {
		return strings.Contains(string(s.operator.Send("GET", person, nil).Body), "authenticator.registered")
	})
	path := person + "/authenticators/"
	s.operator.Send("DELETE", path+"x", members{"reason": "lost"}).Refused(http.StatusNotFound, "authenticator.unknown")
	s.operator.Send("DELETE", path+first, members{}).Refused(http.StatusBadRequest, "request.invalid")
	last := s.operator.Send("DELETE", path+first, members{"reason": "lost"}).Refused(http.StatusConflict, "authenticator.last")
	if got := last.Text("detail"); !strings.Contains(got, "a person who has no password cannot sign in any more") {
		t.Errorf("the operator is told %q", got)
	}
	s.clock.Advance(11 * time.Minute)
	s.operator.Send("DELETE", path+first+"?confirm=last", members{"reason": "lost"}).Refused(http.StatusForbidden, "session.step-up")
	if to := s.operator.Post(person, "action", "remove", "id", first, "confirm", "last", "reason", "lost").Want(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(to, "/login?next=") {
		t.Errorf("it leads to %s", to)
	}
	s.operator.Password(carol)
	s.operator.Send("DELETE", path+first+"?confirm=last", members{"reason": "lost"}).Want(http.StatusNoContent)
	if e := s.last(t, audit.OperatorRemoved); e.Person != carol || e.OnBehalfOf != alice || e.Subject != first || e.Reason != "lost" {
		t.Errorf("the event is %+v", e)
	}
	if left := s.here.Authenticators(); len(left) != 0 {
		t.Errorf("there are %v", left)
	}
	for _, node := range s.nodes { // each tells of it at once
		events := string(s.operator.On(node).Send("GET", person, nil).Want(http.StatusOK).Body)
		if !strings.Contains(events, "operator.removed") || strings.Contains(events, "operator.read") {
			t.Errorf("the person's last events are %s", events)
		}
	}
}

// The end of an account is one event, however many of the person's requests meet it.
func TestAccount_EndIsOneEvent(t *testing.T) {
	s := open(t)
	becomes(t, s.nodes[0], members{"status": "disabled"})
	s.clock.Advance(6 * time.Minute)
	var all sync.WaitGroup
	for _, c := range []*e2etest.Client{s.here, s.there, s.here.On(s.nodes[1]), s.there.On(s.nodes[0])} {
		all.Go(func() { c.Send("GET", "/session", nil).Want(http.StatusUnauthorized) })
	}
	all.Wait()
	if all := s.events(t, audit.AccountEnded); len(all) == 0 || len(all) > 2 || all[0].Person != alice || all[0].Reason != "disabled" || all[0].Address == "" {
		t.Errorf("the events are %+v", all)
	}
}
