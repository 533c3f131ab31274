package signin_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

func TestPush(t *testing.T) {
	e2etest.Share(t, e2etest.Boot(t), aPushSignsInOnce, lookingAtAPushDoesNotEndIt)
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

// HEAD looks without ending the push: the answer that would carry the session has no
// body.
func lookingAtAPushDoesNotEndIt(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	id := e2etest.Push(c, "alice@sandbox").Text("requestID")
	e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
	c.Send("HEAD", "/sessions/"+id, nil).Want(http.StatusOK)
	if r := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK); r.Text("sessionToken") == "" {
		t.Errorf("no session is left: %s", r.Body)
	}
}
