package accounts_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// sent makes a package that waits for alice's signature.
func sent(c *e2etest.Client, email string) string {
	c.T.Helper()
	return c.Send("POST", "/api/packages", e2etest.Lease("Lease", "SENT", email)).Want(http.StatusOK).Text("id")
}

// follow opens a package's stream, and returns a channel that closes when the stream ends.
func follow(t *testing.T, c *e2etest.Client, id string) <-chan struct{} {
	t.Helper()
	stream, ended := c.Follow("/packages/"+id+"/events"), make(chan struct{})
	if stream.Next() == "" {
		t.Fatal("the stream is silent")
	}
	go func() {
		defer close(ended)
		stream.Rest()
	}()
	return ended
}

// within stops the test unless the stream ends in that time.
func within(t *testing.T, ended <-chan struct{}, limit time.Duration) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(limit):
		t.Errorf("the stream goes on after %v", limit)
	}
}

// A verdict ends the streams of the person on every node; a stream asks once a minute by
// itself, and ends when the e-mail address by which its person sees it is another.
func TestStreams_EndOnVerdict(t *testing.T) {
	s := open(t, "ACCOUNT_CHECK=1m", "EVENTS_LIFETIME=1h")
	bob := e2etest.Program(t, s.nodes[0]).SignedIn("bob@sandbox")
	id := sent(bob, address)
	for name, happen := range map[string]func(){
		"an operator": func() {
			s.operator.Send("DELETE", person+"/sessions", members{"reason": "a test"}).Want(http.StatusNoContent)
		},
		"a request": func() {
			becomes(t, s.nodes[0], members{"status": "disabled"})
			s.clock.Advance(59 * time.Second) // no stream is due yet
			s.clock.Advance(2 * time.Second)
			s.here.Send("GET", "/session", nil).Want(http.StatusUnauthorized)
		},
		"its own minute": func() {
			becomes(t, s.nodes[0], members{"status": "locked"})
			s.clock.Advance(61 * time.Second)
		},
		"another e-mail address": func() {
			becomes(t, s.nodes[0], members{"email": another})
			s.clock.Advance(61 * time.Second)
		},
	} {
		becomes(t, s.nodes[0], members{"status": "active", "email": address})
		s.here, s.there = e2etest.Program(t, s.nodes[0]).SignedIn(alice), e2etest.Program(t, s.nodes[1]).SignedIn(alice)
		streams := []<-chan struct{}{follow(t, s.here, id), follow(t, s.there, id)}
		happen()
		for _, ended := range streams {
			within(t, ended, 5*time.Second)
		}
		if t.Failed() {
			t.Fatalf("after %s", name)
		}
	}
}

// Who signs by e-mail follows from the new address at once.
func TestEmailAddress_ChangeCountsAtOnce(t *testing.T) {
	s := open(t)
	bob := e2etest.Program(t, s.nodes[0]).SignedIn("bob@sandbox")
	old, other := sent(bob, address), sent(bob, another)
	s.here.Send("GET", "/api/packages/"+old, nil).Want(http.StatusOK)
	becomes(t, s.nodes[0], members{"email": another})
	s.clock.Advance(6 * time.Minute)
	s.there.Send("GET", "/api/packages/"+other, nil).Want(http.StatusOK)
	s.there.Send("GET", "/api/packages/"+old, nil).Want(http.StatusNotFound)
	s.here.Send("GET", "/api/packages/"+other, nil).Want(http.StatusOK)
}

// An opened stream is read by the operator who opens it.
func TestStream_OfOperator(t *testing.T) {
	s := open(t)
	id := sent(e2etest.Program(t, s.nodes[0]).SignedIn("bob@sandbox"), address)
	follow(t, s.operator, id)
	if e := s.last(t, audit.OperatorRead); e.Operation != "watchPackage" || e.OnBehalfOf != "bob@sandbox" || e.Subject != id {
		t.Errorf("the event is %+v", e)
	}
}

// A form is kept for a person whose session has ended by itself, but not for one whose sessions they
// themselves, an operator or the platform have ended.
func TestForm_KeptAfterSessionEnd(t *testing.T) {
	s := open(t)
	for name, end := range map[string]func(browser *e2etest.Client){
		"they themselves": func(*e2etest.Client) {
			e2etest.Program(t, s.nodes[0]).SignedIn(carol).Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
		},
		"an operator": func(*e2etest.Client) {
			e2etest.Program(t, s.nodes[0]).SignedIn(carol).Send("DELETE", "/people/"+carol+"/sessions", members{"reason": "a test"}).Want(http.StatusNoContent)
		},
		"the platform": func(browser *e2etest.Client) {
			e2etest.Manage(t, s.nodes[0], "PUT", "/users/"+carol, members{"status": "disabled"})
			s.clock.Advance(6 * time.Minute)
			browser.Page("/account").Want(http.StatusSeeOther)
			e2etest.Manage(t, s.nodes[0], "PUT", "/users/"+carol, members{"status": "active"})
		},
	} {
		s.clock.Advance(time.Second)
		browser := e2etest.Browser(t, s.nodes[0]).SignedIn(carol)
		_, rest, _ := strings.Cut(string(browser.Page("/custom-fields?new=yes").Want(http.StatusOK).Body), `name="ticket" value="`)
		ticket, _, _ := strings.Cut(rest, `"`)
		keep := func() string {
			r := e2etest.Browser(t, s.nodes[1]).Post("/custom-fields", "ticket", ticket, "id", "typed", "action", "save")
			return r.Want(http.StatusSeeOther).Header.Get("Location")
		}
		if to := keep(); !strings.Contains(to, "left") {
			t.Fatalf("it leads to %s", to)
		}
		s.clock.Advance(time.Second)
		if end(browser); strings.Contains(keep(), "left") {
			t.Errorf("after %s it is kept", name)
		}
	}
}
