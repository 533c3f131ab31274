package accounts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// A locked or disabled person is let in again by an operator with a fresh sign-in and a reason,
// by JSON and by page, and the trail tells of it.
func TestAccount_UnlockedByOperator(t *testing.T) {
	for action, test := range map[string]struct {
		status, button string
		kind           audit.Kind
	}{
		"unlock": {"locked", "Unlock", audit.OperatorUnlocked},
		"enable": {"disabled", "Enable", audit.OperatorEnabled},
	} {
		s := open(t)
		s.operator.Page(person).Want(http.StatusOK)
		e2etest.SaysNone(t, s.operator.Page(person), ">Unlock<", ">Enable<")
		for name, do := range map[string]func(reason string) e2etest.Reply{
			"API": func(reason string) e2etest.Reply {
				return s.operator.Send("POST", person+"/"+action, members{"reason": reason})
			},
			"page": func(reason string) e2etest.Reply { return s.operator.Post(person, "action", action, "reason", reason) },
		} {
			becomes(t, s.nodes[0], members{"status": test.status})
			s.operator.Password(carol)
			e2etest.Says(t, s.operator.Page(person), person+"?ask="+action, test.button)
			e2etest.Says(t, s.operator.Page(person+"?ask="+action), "the account of "+alice+"?", `value="`+action+`"`)
			do(" ").Want(http.StatusBadRequest)
			s.clock.Advance(11 * time.Minute)
			if r := do("she called"); name == "API" {
				r.Refused(http.StatusForbidden, "session.step-up")
			} else if to := r.Want(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(to, "/login?next=") || !strings.Contains(to, action) {
				t.Errorf("it leads to %s", to)
			}
			e2etest.WrongPassword(e2etest.Program(t, s.nodes[0]).Elsewhere(), alice).Want(http.StatusConflict)
			s.operator.Password(carol)
			if r := do("she called"); r.Status != http.StatusNoContent && r.Status != http.StatusSeeOther {
				t.Fatalf("%s by the %s: %d %s", action, name, r.Status, r.Body)
			}
			if e := s.last(t, test.kind); e.Person != carol || e.OnBehalfOf != alice || e.Reason != "she called" {
				t.Errorf("the event is %+v", e)
			}
			e2etest.Program(t, s.nodes[1]).SignedIn(alice)
			if events := string(s.operator.On(s.nodes[1]).Send("GET", person, nil).Want(http.StatusOK).Body); !strings.Contains(events, string(test.kind)) {
				t.Errorf("the person's last events are %s", events)
			}
		}
		s.operator.Send("POST", "/people/nobody@sandbox/"+action, members{"reason": "she called"}).Refused(http.StatusNotFound, "request.not-found")
		e2etest.Program(t, s.nodes[0]).SignedIn(alice).Send("POST", person+"/"+action, members{"reason": "curious"}).Refused(http.StatusNotFound, "request.not-found")
	}
}

// An account that is not locked is told kindly; enabling one that is enabled changes nothing.
func TestAccount_UnlockWhenNotLocked(t *testing.T) {
	s := open(t)
	s.operator.Send("POST", person+"/unlock", members{"reason": "she called"}).Refused(http.StatusConflict, "account.not-locked")
	e2etest.Says(t, s.operator.Post(person, "action", "unlock", "reason", "she called").Want(http.StatusConflict), "This account is not locked")
	if all := s.events(t, audit.OperatorUnlocked); len(all) > 0 {
		t.Errorf("the trail tells of %+v", all)
	}
	s.operator.Send("POST", person+"/enable", members{"reason": "she called"}).Want(http.StatusNoContent)
}

// Operators find people by a part of their name, by their display name and by their address.
func TestPeople_FoundByOperator(t *testing.T) {
	s := open(t)
	for i := range 103 {
		e2etest.Manage(t, s.nodes[0], "PUT", fmt.Sprintf("/users/bulk%03d@acme", i), members{"email": fmt.Sprintf("b%03d@acme.test", i)})
	}
	e2etest.Manage(t, s.nodes[0], "PUT", "/users/alina@acme", members{"displayName": "Alina A", "email": "alina@acme.test"})
	found := func(query, want string) e2etest.Reply {
		t.Helper()
		r := s.operator.Send("GET", "/people?"+query, nil, "Accept", "application/json").Want(http.StatusOK)
		var names []string
		for _, one := range r.Member("people").([]any) {
			user := one.(members)
			names = append(names, fmt.Sprint(user["id"], " ", user["status"]))
		}
		if got := strings.Join(names, ", "); got != want && want != "" {
			t.Errorf("%s: found %s, want %s", query, got, want)
		}
		return r
	}
	found("userID=ali", "alice@sandbox active, alina@acme active")
	found("userID=al*a%40acme", "alina@acme active")
	found("userID=ERI", "erin@sandbox locked")
	found("displayName=Alina+A", "alina@acme active")
	found("emailAddress=alina%40acme.test", "alina@acme active")
	if e := s.last(t, audit.OperatorRead); e.Person != carol || e.OnBehalfOf != "" || e.Operation != "queryUsers" {
		t.Errorf("the event is %+v", e)
	}
	if r := found("userID=bulk", ""); r.Member("total") != 103.0 || len(r.Member("people").([]any)) != 100 || r.Member("limit") != 100.0 {
		t.Errorf("the first page is %v, %v of %v", r.Member("offset"), len(r.Member("people").([]any)), r.Member("total"))
	}
	found("userID=bulk&offset=101&limit=1", "bulk101@acme active")
	if got := len(found("userID=nobody", "").Member("people").([]any)); got != 0 {
		t.Errorf("nobody is found %d times", got)
	}
	for query, pointer := range map[string]string{"userID=a&offset=-1": "/offset", "userID=a&limit=101": "/limit", "userID=" + strings.Repeat("a", 256): "/userID"} {
		if r := s.operator.Send("GET", "/people?"+query, nil, "Accept", "application/json").Refused(http.StatusBadRequest, "request.invalid"); e2etest.Pointers(t, r) != pointer {
			t.Errorf("%s: %s", query, r.Body)
		}
	}

	e2etest.Says(t, s.operator.Page("/people?userID=ali").Want(http.StatusOK), `href="/people/alice@sandbox"`, `href="/people/alina@acme"`, "Alina A", "1–2 of 2")
	e2etest.Says(t, s.operator.Page("/people?userID=bulk&offset=100"), "101–103 of 103", `href="/people?userID=bulk"`)
	e2etest.Says(t, s.operator.Page("/people?userID=bulk"), `href="/people?offset=100&amp;userID=bulk"`)
	e2etest.Says(t, s.operator.Page("/people?userID=nothing").Want(http.StatusOK), "No user was found.")
	if to := s.operator.Page("/people?userID=ALICE%40sandbox").Want(http.StatusSeeOther).Header.Get("Location"); to != person {
		t.Errorf("a whole name leads to %s", to)
	}
	e2etest.Manage(t, s.nodes[0], "POST", "/faults", members{"operation": "queryUsers", "status": 409})
	e2etest.Says(t, s.operator.Page("/people?userID=ali").Want(http.StatusConflict), "Find a person", `value="ali"`)
	s.here.Send("GET", "/people?userID=ali", nil, "Accept", "application/json").Refused(http.StatusNotFound, "request.not-found")
}
