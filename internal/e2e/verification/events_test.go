package verification_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// watch opens the stream of a transaction, which begins with messages.
func watch(t *testing.T, c *e2etest.Client, id string, messages ...string) *e2etest.Events {
	t.Helper()
	s := c.Follow("/verifications/" + id + "/events")
	tells(t, s, messages...)
	return s
}

// tells stops the test unless the stream goes on with messages.
func tells(t *testing.T, s *e2etest.Events, messages ...string) {
	t.Helper()
	for _, want := range messages {
		if got := s.Next(); got != want {
			t.Fatalf("the stream says %q, want %q", got, want)
		}
	}
}

// begins is the first message of a stream.
const begins = `id: 1|event: state|data: {"status":"new"}`

// atPlatform creates a transaction at the platform and returns its id.
func atPlatform(t *testing.T, app *e2etest.App) string {
	t.Helper()
	ids := e2etest.Manage(t, app, "POST", "/transactions", map[string]any{"count": 1}).Member("ids").([]any)
	return ids[0].(string)
}

// become changes a member of the transaction at the platform.
func become(t *testing.T, app *e2etest.App, id, member, value string) {
	t.Helper()
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{member: value})
}

// operator returns an operator signed in in a new session.
func operator(t *testing.T, app *e2etest.App) *e2etest.Client {
	t.Helper()
	return e2etest.Program(t, app).SignedIn("carol@sandbox")
}

// A stream sends the present state, then the changes, then the end; after that there is
// none. A client that reconnects gets the following ids.
func TestStream_StateChangesAndEnd(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	id, c := atPlatform(t, app), operator(t, app)
	s := watch(t, c, id, begins)
	if got := s.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("it is %q", got)
	}
	if s.Header.Get("X-Request-Id") == "" || s.Header.Get("Cache-Control") != "no-store, no-transform" {
		t.Errorf("its head is %v", s.Header)
	}
	become(t, app, id, "stage", "document_selected")
	clock.Advance(2 * time.Second)
	tells(t, s, `id: 2|event: stage|data: {"name":"document_selected"}`)
	tells(t, c.Follow("/verifications/"+strings.ToUpper(id)+"/events", "Last-Event-Id", "41"), `id: 42|event: state|data: {"status":"new"}`)
	become(t, app, id, "status", "completed")
	clock.Advance(2 * time.Second)
	tells(t, s, `id: 3|event: state|data: {"status":"completed"}`, "id: 4|event: done|data: {}", "")
	c.Send("GET", "/verifications/"+id+"/events", nil).Want(http.StatusNoContent)
	c.Send("HEAD", "/verifications/"+id+"/events", nil).Want(http.StatusNoContent)
}

// A stream ends with its lifetime, and keeps no session alive.
func TestStream_Lifetime(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "EVENTS_LIFETIME=4m")
	id, c := atPlatform(t, app), operator(t, app)
	s := watch(t, c, id, begins)
	clock.Advance(4 * time.Minute)
	tells(t, s, "retry: 1000", "")
	watch(t, c, id, begins)
	if left := c.Send("GET", "/session", nil).Want(http.StatusOK).Member("idleExpiresIn").(float64); left > (26 * time.Minute).Seconds() {
		t.Errorf("the session has %v s left", left)
	}
}

// A page that reads itself again keeps no session alive; its user does.
func TestLivePage_KeepsNoSessionAlive(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	id, c := atPlatform(t, app), operator(t, app)
	left := func() time.Duration {
		seconds := c.Send("GET", "/session", nil).Want(http.StatusOK).Member("idleExpiresIn").(float64)
		return time.Duration(seconds * float64(time.Second))
	}
	clock.Advance(4 * time.Minute)
	c.Send("GET", "/verifications/"+id+"?live=yes", nil).Want(http.StatusOK)
	if left() > 26*time.Minute {
		t.Errorf("the page's own request leaves %v", left())
	}
	c.Send("GET", "/verifications/"+id, nil).Want(http.StatusOK)
	if left() < 29*time.Minute {
		t.Errorf("the user's request leaves %v", left())
	}
}

// Outsiders get the same answer as for an unknown id.
func streamsAreForTheirPeople(t *testing.T, app *e2etest.App) {
	id, c := atPlatform(t, app), e2etest.Program(t, app).SignedIn("bob@sandbox")
	for _, id := range []string{id, "00000000-0000-4000-8000-000000000000", "1", "%2e%2e", "{" + id + "}"} {
		c.Send("GET", "/verifications/"+id+"/events", nil).Refused(http.StatusNotFound, "request.not-found")
	}
	e2etest.Program(t, app).Send("GET", "/verifications/"+id+"/events", nil).Refused(http.StatusUnauthorized, "session.required")
}

// The platform's callbacks need a key, are only hints whatever they say, and wake the
// index.
func TestCallbacks_WakeIndex(t *testing.T) {
	key := "a-key-of-callbacks-0123456789abcdef"
	app, path := e2etest.Boot(t, "IDV_CALLBACK_KEY="+key), "/callbacks/verification"
	platform := e2etest.Program(t, app)
	body := `{"transaction_id":"` + atPlatform(t, app) + `"}`
	for _, r := range []e2etest.Reply{
		platform.Send("POST", path, body),
		platform.Send("POST", path, body, "Authorization", "Bearer not it"),
		platform.Send("POST", path, body, "Authorization", "Basic "+key),
		platform.Send("POST", path+"?key=not+it", body),
		platform.Send("POST", path+"?key="+key+"&key=x", body),
		platform.Send("POST", path+"?key="+key, body, "Authorization", "Bearer not it"),
	} {
		r.Refused(http.StatusUnauthorized, "session.required")
	}
	for _, body := range []string{body, "", "{", `[1]`, `{"transaction_id":7}`, `{"transaction_id":"x"}`, "\xff"} {
		platform.Send("POST", path+"?key="+key, body, "Content-Type", "").Want(http.StatusNoContent)
		platform.Send("POST", path, body, "Content-Type", "text/plain", "Authorization", "bearer "+key).Want(http.StatusNoContent)
	}
	platform.Send("POST", path+"?key="+key, strings.Repeat("x", 64<<10+1)).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
	made := e2etest.Boot(t) // with a key of its own
	e2etest.Program(t, made).Send("POST", path+"?key="+key, body).Refused(http.StatusUnauthorized, "session.required")
}
