package sandbox_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/logtest"
	"countersign/internal/sandbox"
)

func TestAPIKey_WrongOrMissing(t *testing.T) {
	p := start(t, func(o *sandbox.Options) { o.APIKey = "k3y" })
	p.manage(http.MethodPost, "faults", object{"operation": "getUser", "error": "User is locked"})
	for authorization, status := range map[string]int{"": 401, "Basic k3y2": 401, "Bearer k3y": 401, "k3y": 401, "Basic ": 401} {
		r := p.request(http.MethodGet, "/users/alice@sandbox", "")
		r.Header.Set("Authorization", authorization)
		a := p.send(r)
		if a.status != status || strings.Contains(a.text, "k3y") {
			t.Errorf("%q: %d %s", authorization, a.status, a.text)
		}
		credential := "wrong"
		if authorization == "" {
			credential = "none"
		}
		entries := p.journal()
		same(t, "credential of "+authorization, entries[len(entries)-1]["credential"], credential)
	}
	for _, status := range []int{http.StatusConflict, http.StatusOK} { // the fault has waited for a call with the key
		r := p.request(http.MethodGet, "/users/alice@sandbox", "")
		r.Header.Set("Authorization", "Basic k3y")
		same(t, "with the key", p.send(r).status, status)
	}
	entries := p.journal()
	same(t, "credential", entries[len(entries)-1]["credential"], "ok")
	same(t, "unknown path without the key", p.call(http.MethodGet, "/x", nil).status, http.StatusUnauthorized)
}

func TestOptions_Invalid(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Options){
		"no RP ID":   func(o *sandbox.Options) { o.RPID = "" },
		"an address": func(o *sandbox.Options) { o.RPID = "127.0.0.1" },
		"a URL":      func(o *sandbox.Options) { o.RPID = "https://example.org" },
		"no origin":  func(o *sandbox.Options) { o.RPOrigins = nil },
		"no clock":   func(o *sandbox.Options) { o.Now = nil },
	} {
		o := working()
		change(&o)
		if _, err := sandbox.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The reason of a refusal is only in the sandbox's log.
func TestLog_ReasonOfRefusal(t *testing.T) {
	var log logtest.Log
	p := start(t, func(o *sandbox.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	requestID, response := p.create("alice@sandbox", browser().At("http://localhost:9999"), nil)
	a := p.finish("alice@sandbox", requestID, response)
	a.refused(t, http.StatusConflict, notVerifiable)
	for _, part := range []string{"validating origin", "localhost:9999", a.header.Get("Log-Correlation-Id")} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, log.String())
		}
	}
}

func TestSandbox_ConcurrentUsers(t *testing.T) {
	p := start(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			user := fmt.Sprintf("u%d@sandbox", i)
			p.manage(http.MethodPut, "users/"+user, object{})
			device := browser()
			p.register(user, device, nil)
			p.advance("1s")
			requestID, response := p.get(user, device, nil)
			if a := p.signIn(user, requestID, response); a.status != http.StatusOK {
				t.Errorf("%s: %d %s", user, a.status, a.text)
			}
			p.journal()
		})
	}
	all.Wait()
}
