package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func (p platform) journal() []object {
	p.t.Helper()
	raw, ok := p.manage(http.MethodGet, "journal", nil).body["entries"].([]any)
	if !ok {
		p.t.Fatal("the journal has no entries member")
	}
	var entries []object
	for _, e := range raw {
		entries = append(entries, e.(object))
	}
	return entries
}

func TestJournal_ListsCalls(t *testing.T) {
	p := start(t)
	p.advance("1h")
	p.password("alice@sandbox", "wrong")
	p.call(http.MethodGet, "/users/bob%40sandbox?a=%20b&a", nil)
	p.call(http.MethodGet, "/users/BOB@Sandbox", nil)
	p.call(http.MethodGet, "/sessions/x?", nil)
	p.call(http.MethodGet, "/nowhere", nil)
	p.call(http.MethodDelete, "/users/bob@sandbox", nil)
	want := []string{
		"login POST /users/alice@sandbox/login  61 alice@sandbox none 409",
		"getUser GET /users/bob%40sandbox a=%20b&a 0 bob@sandbox none 200",
		"getUser GET /users/BOB@Sandbox  0 bob@sandbox none 200",
		"sessionStatus GET /sessions/x  0  none 400",
		" GET /nowhere  0  none 404",
		" DELETE /users/bob@sandbox  0  none 405",
	}
	entries := p.journal()
	if len(entries) != len(want) {
		t.Fatalf("journal %v", entries)
	}
	for i, e := range entries {
		same(t, "entry", fmt.Sprintf("%s %s %s %s %v %s %s %v",
			e["operation"], e["method"], e["path"], e["query"], e["bytes"], e["user"], e["credential"], e["status"]), want[i])
		same(t, "members", len(e), 10)
		at, err := time.Parse(time.RFC3339, e["at"].(string))
		if err != nil || at.Before(time.Now().Add(59*time.Minute)) {
			t.Errorf("at %v is not on the platform's clock (%v)", e["at"], err)
		}
	}
	p.manage(http.MethodDelete, "journal", nil)
	same(t, "entries after", len(p.journal()), 0)
}

func TestJournal_OversizedBody(t *testing.T) {
	p := start(t)
	p.post("/users/alice@sandbox/login", strings.Repeat(" ", 1<<20+5)).refused(t, http.StatusRequestEntityTooLarge, "Request body is too large")
	same(t, "bytes that were read", p.journal()[0]["bytes"], float64(1<<20))
}

func TestClock_ForwardOnly(t *testing.T) {
	p := start(t)
	for _, body := range []object{{"advance": "-1s"}, {"advance": "0s"}, {"advance": "soon"}, {}} {
		p.post("/_manage/clock", body).invalid(t, "advance")
	}
	p.post("/_manage/clock", object{"advance": 60}).invalid(t, "advance")
	p.post("/_manage/clock", object{"advance": "1s", "by": "me"}).invalid(t, "by")
}

func TestReset_RestoresInitialState(t *testing.T) {
	p := start(t)
	device := browser()
	p.register("alice@sandbox", device, nil)
	requestID, response := p.get("alice@sandbox", device, nil)
	registrationID, made := p.create("bob@sandbox", browser(), nil)
	pushed := p.post("/users/alice@sandbox/login", object{"objectType": "LoginInput", "credentials": object{"passKey": "NoPIN"}}).string("requestID")
	p.manage(http.MethodPut, "users/alice@sandbox", object{"passKey": "other"})
	p.manage(http.MethodPut, "users/grace@sandbox", object{})
	p.manage(http.MethodPost, "faults", object{"operation": "login", "times": 0, "status": 500})
	p.advance("100h")

	p.manage(http.MethodPost, "reset", nil)
	same(t, "journal", len(p.journal()), 0)
	same(t, "fault and password", p.password("alice@sandbox", "Sandbox-1!").status, http.StatusOK)
	same(t, "grace", p.call(http.MethodGet, "/users/grace@sandbox", nil).status, http.StatusNotFound)
	same(t, "push", p.call(http.MethodGet, "/sessions/"+pushed, nil).status, http.StatusNotFound)
	same(t, "registrations", len(p.registrations("alice@sandbox")), 0)
	p.signIn("alice@sandbox", requestID, response).refused(t, http.StatusConflict, "Request ID is invalid")
	p.finish("bob@sandbox", registrationID, made).refused(t, http.StatusConflict, notStarted)
	at, err := time.Parse(time.RFC3339, p.journal()[0]["at"].(string))
	if err != nil || at.After(time.Now().Add(time.Hour)) {
		t.Errorf("the clock shows %v (%v)", at, err)
	}
	p.register("alice@sandbox", browser(), nil)
}

func TestManage_UnknownOperation(t *testing.T) {
	p := start(t)
	same(t, "unknown path", p.post("/_manage/nothing", object{}).status, http.StatusNotFound)
	same(t, "wrong method", p.call(http.MethodGet, "/_manage/faults", nil).status, http.StatusMethodNotAllowed)
	same(t, "journal", len(p.journal()), 0)
}
