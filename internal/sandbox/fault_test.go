package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/sandbox"
)

func (p platform) fault(body object) {
	p.t.Helper()
	p.manage(http.MethodPost, "faults", body)
}

func TestFault_StatusOfError(t *testing.T) {
	p := start(t)
	for _, one := range []struct {
		fault   object
		status  int
		message string
	}{
		{object{"operation": "login", "error": "User is disabled"}, 409, "User is disabled"},
		{object{"operation": "login", "error": "User account not found"}, 404, "User account not found"},
		{object{"operation": "login", "error": "Unable to send remote authentication."}, 500, "Unable to send remote authentication."},
		{object{"operation": "login", "error": "Invalid Request ID"}, 409, "Invalid Request ID"},
		{object{"operation": "login", "error": "A text of no table"}, 409, "A text of no table"},
		{object{"operation": "login", "error": "User is locked", "status": 403}, 403, "User is locked"},
		{object{"operation": "login", "error": "User is locked", "release": "22.R3"}, 409, "User is locked"},
		{object{"operation": "login", "error": "Invalid Request ID", "release": "22.R4"}, 409, "Invalid Request ID"},
		{object{"operation": "login", "status": 503}, 503, "Service Unavailable"},
	} {
		p.fault(one.fault)
		p.password("alice@sandbox", "Sandbox-1!").refused(t, one.status, one.message)
		same(t, "the call after", p.password("alice@sandbox", "Sandbox-1!").status, http.StatusOK)
	}
}

func TestFault_ConfiguredBody(t *testing.T) {
	p := start(t)
	for _, one := range []struct {
		fault  object
		status int
		media  string
		text   string
	}{
		{object{"body": object{"sessionStatus": "failed"}}, 200, "application/json", `{"sessionStatus":"failed"}`},
		{object{"body": "<html>busy</html>", "status": 502}, 502, "text/plain; charset=utf-8", "<html>busy</html>"},
		{object{"body": "", "status": 500}, 500, "text/plain; charset=utf-8", ""},
		{object{"body": "{", "headers": object{"Content-Type": "application/json"}}, 200, "application/json", "{"},
		{object{"status": 204}, 204, "", ""},
	} {
		one.fault["operation"] = "login"
		p.fault(one.fault)
		r := p.request(http.MethodPost, "/users/alice@sandbox/login", `{}`)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != one.status || string(text) != one.text || response.Header.Get("Content-Type") != one.media {
			t.Errorf("%v: %d %q %q (%v)", one.fault, response.StatusCode, response.Header.Get("Content-Type"), text, err)
		}
		if response.Header.Get("Log-Correlation-Id") == "" {
			t.Errorf("%v: no log-correlation-id", one.fault)
		}
	}
}

func TestFault_Headers(t *testing.T) {
	p := start(t)
	p.fault(object{"operation": "login", "status": 503, "headers": object{"Retry-After": "7"}})
	same(t, "Retry-After", p.password("alice@sandbox", "x").header.Get("Retry-After"), "7")
	p.fault(object{"operation": "login", "headers": object{"Cache-Control": "public"}})
	a := p.password("alice@sandbox", "Sandbox-1!")
	same(t, "status of a real answer with other headers", a.status, http.StatusOK)
	same(t, "Cache-Control", a.header.Get("Cache-Control"), "public")

	// With a length that is never reached, the connection breaks in the middle.
	p.fault(object{"operation": "login", "body": `{"sess`, "headers": object{"Content-Length": "100"}})
	response, err := http.DefaultClient.Do(p.request(http.MethodPost, "/users/alice@sandbox/login", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("read %q to its end", text)
	}
}

// An answer can get lost, in the middle or completely, after the operation was carried
// out.
func TestFault_ResponseCut(t *testing.T) {
	p := start(t)
	carriedOut := func(fault object) (string, error) {
		fault["operation"] = "createPackage"
		p.fault(fault)
		response, err := http.DefaultTransport.RoundTrip(p.request(http.MethodPost, "/api/packages", `{"name":"a"}`))
		if err != nil {
			return "", err
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	}
	for cut, want := range map[int]string{0: "", 5: `{"id"`, 100000: `{"id":"`} {
		if text, err := carriedOut(object{"cut": cut}); err == nil || !strings.HasPrefix(text, want) || cut == 5 && text != want {
			t.Errorf("cut %d: %q %v", cut, text, err)
		}
	}
	if text, err := carriedOut(object{"cut": 0, "status": 503}); err == nil {
		t.Errorf("instead of the operation: %q", text)
	}
	if text, err := carriedOut(object{"cut": 2, "body": object{"id": "x"}, "headers": object{"Content-Length": "10"}}); err == nil || text != `{"` {
		t.Errorf("a body of one's own: %q %v", text, err)
	}
	same(t, "packages", p.call(http.MethodGet, "/api/packages", nil).body["count"], float64(3))
	same(t, "the call after", p.call(http.MethodGet, "/api/packages", nil).status, http.StatusOK)
}

func TestFault_TimesAndOrder(t *testing.T) {
	p := start(t)
	p.fault(object{"operation": "login", "times": 2, "error": "User is locked"})
	p.fault(object{"operation": "getUser", "times": 0, "status": 500})
	p.fault(object{"operation": "login", "error": "User is disabled"})
	for _, message := range []string{"User is locked", "User is locked", "User is disabled"} {
		p.password("alice@sandbox", "Sandbox-1!").refused(t, http.StatusConflict, message)
	}
	same(t, "login after its faults", p.password("alice@sandbox", "Sandbox-1!").status, http.StatusOK)
	for range 5 {
		same(t, "getUser until reset", p.call(http.MethodGet, "/users/alice@sandbox", nil).status, http.StatusInternalServerError)
	}
	same(t, "journal tells what was answered", p.journal()[0]["status"], float64(http.StatusConflict))
	p.fault(object{"operation": "login", "status": 500})
	p.manage(http.MethodDelete, "faults", nil)
	same(t, "login after all are deleted", p.password("alice@sandbox", "Sandbox-1!").status, http.StatusOK)
	same(t, "getUser after all are deleted", p.call(http.MethodGet, "/users/alice@sandbox", nil).status, http.StatusOK)
	same(t, "the journal stays", len(p.journal()), 11)
}

func TestFault_InvalidSettings(t *testing.T) {
	p := start(t)
	for _, one := range []struct {
		fault  any
		fields string
	}{
		{object{"operation": "login"}, ""},
		{object{"operation": "login", "status": 99}, "status"},
		{object{"operation": "login", "status": "500"}, "status"},
		{object{"operation": "login", "status": 500, "times": -1}, "times"},
		{object{"operation": "login", "delay": "soon"}, "delay"},
		{object{"operation": "login", "delay": 2}, "delay"},
		{object{"operation": "login", "status": 500, "headers": object{"a b": "c"}}, "headers"},
		{object{"operation": "login", "error": "x", "body": "y"}, "error"},
		{object{"operation": "login", "status": 500, "release": "22.R4"}, "release"},
		{object{"operation": "login", "error": "x", "release": "23.R1"}, "release"},
		{object{"operation": "login", "release": ""}, "release"},
		{object{"operation": "login", "body": "x", "release": "22.R4"}, "release"},
		{object{"operation": "login", "cut": -1}, "cut"},
		{object{"operation": "login", "status": 500, "often": 2}, "often"},
		{object{"status": 500}, "operation"},
	} {
		a := p.post("/_manage/faults", one.fault)
		a.invalid(t, one.fields)
	}
	a := p.post("/_manage/faults", object{"operation": "logon", "status": 500})
	a.invalid(t, "operation")
	for _, operation := range []string{"login", "generateFidoRegistrationRequest", "registerFidoDevice", "generateFidoAuthenticationRequest",
		"sessionStatus", "registerUser", "orchestrationCommands", "deregisterFidoUafKeys", "validateTransaction", "getUser", "listFidoRegistrations", "renameFidoRegistration", "deleteFidoRegistration"} {
		if !strings.Contains(a.text, operation) {
			t.Errorf("the refusal does not list %s: %s", operation, a.text)
		}
		p.fault(object{"operation": operation, "status": 500})
	}
}

// A delay ends when the caller goes away: the handler returns long before the delay is
// over.
func TestDelay_ClientLeaves(t *testing.T) {
	server, err := sandbox.New(working())
	if err != nil {
		t.Fatal(err)
	}
	begun, ended := make(chan struct{}), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/login") {
			close(begun)
			defer close(ended)
		}
		server.ServeHTTP(w, r)
	}))
	defer web.Close()
	p := platform{t: t, url: web.URL}
	p.fault(object{"operation": "login", "delay": "20s"})

	ctx, leave := context.WithCancel(t.Context())
	r := p.request(http.MethodPost, "/users/alice@sandbox/login", "{}").WithContext(ctx)
	failed := make(chan error, 1)
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		failed <- err
	}()
	<-begun
	leave()
	if err := <-failed; err == nil {
		t.Error("an answer came")
	}
	<-ended
	same(t, "journal", p.journal()[0]["status"], float64(0))
}

func TestDelay_ServerCloses(t *testing.T) {
	server, err := sandbox.New(working())
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/login") {
			close(begun)
		}
		server.ServeHTTP(w, r)
	}))
	defer web.Close()
	p := platform{t: t, url: web.URL}
	p.fault(object{"operation": "login", "delay": "20s"})
	go func() { <-begun; server.Close() }()
	p.password("alice@sandbox", "Sandbox-1!").refused(t, http.StatusServiceUnavailable, "The platform is closing")
	server.Close()
}
