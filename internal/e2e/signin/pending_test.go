package signin_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

func TestAPushSignsInOnce(t *testing.T) {
	app := e2etest.Boot(t)
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

			var wait sync.WaitGroup
			answers := make([]e2etest.Reply, 8)
			for i := range answers {
				wait.Go(func() {
					polling := *c
					polling.HTTP = &http.Client{CheckRedirect: e2etest.Stay}
					if c.HTTP.Jar != nil {
						polling.Header = c.Header.Clone()
						polling.Header.Set("Cookie", e2etest.CookieOf(c))
					}
					answers[i] = polling.Decided(id)
				})
			}
			wait.Wait()
			begun := slices.DeleteFunc(answers, func(r e2etest.Reply) bool { return r.Status == http.StatusNotFound })
			if len(begun) != 1 || begun[0].Status != http.StatusOK || begun[0].Text("sessionStatus") != "accepted" {
				t.Fatalf("%d sessions began", len(begun))
			}
		})
	}
}

// A stranger's pushes are limited alike for every account, existing or not; an accepted
// one does not count.
func TestPushesAreCountedAlike(t *testing.T) {
	app := e2etest.Boot(t, "RATE_PUSH=3/h")
	for range 5 {
		c := e2etest.Program(t, app)
		id := e2etest.Push(c, "carol@sandbox").Text("requestID")
		e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
		c.Decided(id).Want(http.StatusOK)
	}
	for _, user := range []string{"alice", "nobody", "dave"} {
		for range 3 {
			e2etest.Push(e2etest.Program(t, app), user+"@sandbox")
		}
		r := e2etest.Program(t, app).Elsewhere().Send("POST", "/users/"+user+"@sandbox/login", e2etest.PushedSignIn).
			Refused(http.StatusTooManyRequests, "request.rate")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

func TestARefusedOrUnansweredPushSignsNobodyIn(t *testing.T) {
	app := e2etest.Boot(t)
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

// A push that reaches nobody is answered like one that does, whatever the platform says.
func TestAPushToNobodyLooksReal(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "times": 1, "status": 200, "body": map[string]any{
		"sessionStatus": "pending", "requestID": "login:421", "requestMessage": "00ffa1", "riskResponseCode": 0, "eventId": 1700000001,
	}})
	digit := regexp.MustCompile(`[a-f0-9]`)
	form := func(user string) string {
		c := e2etest.Program(t, app)
		r := c.Send("POST", "/users/"+user+"/login", `{"orchestrationDelivery":["requestMessage"]}`).Want(http.StatusAccepted)
		c.Carry(r)
		if status := c.Send("GET", "/sessions/"+r.Text("requestID"), nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		var body map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		delete(body, "sessionToken")
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return digit.ReplaceAllString(string(text), "0")
	}
	real := form("bob@sandbox")
	for _, user := range []string{"nobody@sandbox", "dave@sandbox"} {
		if got := form(user); got != real {
			t.Errorf("%s: %s, not %s", user, got, real)
		}
	}
}

// The time to decide on a device does not depend on the time that a ceremony may stay
// open.
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
	}
}

func TestAPushToNobodyWaitsAndTimesOut(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	for _, user := range []string{"nobody", "dave", "alice"} {
		c := e2etest.Program(t, app)
		id := e2etest.Push(c, user+"@sandbox").Text("requestID")
		if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		clock.Advance(time.Minute)
		e2etest.Eventually(t, user+" times out", func() bool {
			return c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus") == "timeout"
		})
	}
}
