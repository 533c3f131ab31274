package signin_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

func TestPush(t *testing.T) {
	e2etest.Share(t, e2etest.Boot(t), aPushSignsInOnce, lookingAtAPushDoesNotEndIt, aRefusedOrUnansweredPushSignsNobodyIn)
}

func aPushSignsInOnce(t *testing.T, app *e2etest.App) {
	for name, newClient := range map[string]func(testing.TB, *e2etest.App) *e2etest.Client{"browser": e2etest.Browser, "program": e2etest.Program} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, app)
			id := e2etest.Push(c, "alice@sandbox").Text("requestID")
			if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
				t.Fatalf("status %q", status)
			}
			newClient(t, app).Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")
			c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
			e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
			if r := c.Decided(id).Want(http.StatusOK); r.Text("sessionStatus") != "accepted" {
				t.Errorf("decided as %s", r.Body)
			}
			c.Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")
		})
	}
}

func aRefusedOrUnansweredPushSignsNobodyIn(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	id := e2etest.Push(c, "alice@sandbox").Text("requestID")
	e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "refuse"})
	if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "refused" {
		t.Errorf("status %q", status)
	}
	c.Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")

	c = e2etest.Program(t, app)
	id = e2etest.Push(c, "alice@sandbox").Text("requestID")
	e2etest.Manage(t, app, "POST", "/clock", map[string]any{"advance": "61s"})
	if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "timeout" {
		t.Errorf("status %q", status)
	}
}

// The time to decide on a device does not depend on the time that a ceremony may stay
// open, and ends for a push that reaches nobody as for any other.
func TestAPushOutlivesACeremony(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "CEREMONY_TTL=30s", "REMOTE_TRANSACTION_TIMEOUT=5m")
	// The sandbox's people have one minute; on this platform they have more.
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "sessionStatus", "times": 0, "body": e2etest.Fault{"sessionStatus": "pending"}})
	for _, user := range []string{"alice", "nobody"} {
		c := e2etest.Program(t, app)
		id := e2etest.Push(c, user+"@sandbox").Text("requestID")
		clock.Advance(4 * time.Minute)
		if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		clock.Advance(time.Minute)
		e2etest.Eventually(t, user+" times out", func() bool {
			return c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus") == "timeout"
		})
	}
}
