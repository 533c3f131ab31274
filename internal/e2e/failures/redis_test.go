package failures_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// Redis may go away at any command of any request, with the command carried out or not.
// The answer comes within a second, it is not a sign-out, and the same cookie or token is
// signed in when Redis is back.
func TestRedis_FailsAtAnyCommand(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no") // the line breaks, not the server
	watch := e2etest.NewStopwatch(t)
	type job struct {
		call
		e2etest.Breakage
	}
	jobs := make(chan job)
	var wait sync.WaitGroup
	for range 8 { // most of the time is spent waiting for a silent line
		l := e2etest.NewRedisLine(t, server.Addr)
		app := e2etest.Boot(t, append(e2etest.LimitsOn, "REDIS_URL="+l.URL())...)
		wait.Go(func() {
			for j := range jobs {
				breakEverywhere(t, watch, app, l, j.call, j.Breakage)
			}
		})
	}
	ways := []e2etest.Breakage{{Silent: true}, {Arrives: true}}
	for i, a := range calls {
		if jobs <- (job{a, ways[i%2]}); a.ends || a.spends { // whether a command is carried out matters to them
			jobs <- job{a, ways[(i+1)%2]}
		}
	}
	close(jobs)
	wait.Wait()
}

// breakEverywhere makes the request again and again, with Redis away one command later
// each time, until the request ends before that.
func breakEverywhere(t *testing.T, watch *e2etest.Stopwatch, app *e2etest.App, l *e2etest.RedisLine, a call, how e2etest.Breakage) {
	lost, slow, restarted, spared := 0, 0, 0, 0
	for passed := 0; passed < 30; passed++ {
		e2etest.Manage(t, app, "POST", "/reset", nil)
		c := a.by(t, app).Patiently(l).SignedIn("alice@sandbox")
		send := a.prepare(c)
		what := fmt.Sprintf("%s, %+v after %d commands", a.name, how, passed)
		l.BreakAfter(passed, how)
		r := watch.Within(promptly, what, send)
		switch broken := l.Mend(); {
		case !broken && r.Status == http.StatusServiceUnavailable && slow < 5: // Redis was too slow, not away
			slow++
			passed--
			continue
		case broken && a.spends && r.Status < http.StatusBadRequest && spared < 6: // perhaps what broke was a command of the background
			spared++
			passed--
			continue
		case !broken && (r.Status >= http.StatusBadRequest || passed == 0 || lost > momentOfReplacing):
			t.Errorf("%s: nothing broke; status %d; %d times before the session was lost: %s", what, r.Status, lost, r.Body)
			return
		case !broken && a.spends != (restarted > 0):
			t.Errorf("%s: to be begun again %d times", what, restarted)
			return
		case !broken:
			return
		case a.spends && r.Status == http.StatusServiceUnavailable && r.Member("retryable") == false:
			restarted++
			r.TakesNothing(what)
			if _, action, after := retry(r); action != "restart" || after != "" || r.Text("key") != "session.unavailable" {
				t.Errorf("%s: action %q, Retry-After %q: %s", what, action, after, r.Body)
			}
		case r.Status >= http.StatusBadRequest:
			r.WithoutRedis(what, a.page)
		}
		slow, spared = 0, 0
		switch status := c.WhenBack().Status; {
		case status == http.StatusOK:
		case a.ends && status == http.StatusUnauthorized && r.Status < http.StatusBadRequest:
		case a.ends && status == http.StatusUnauthorized:
			lost++
		default:
			t.Errorf("%s: then GET /session is answered %d", what, status)
		}
	}
	t.Errorf("%s: asks Redis without end", a.name)
}

// momentOfReplacing is the number of commands that replace a session by a new sign-in's,
// during which a lost answer loses the session.
const momentOfReplacing = 3

// Countersign starts while Redis is away, reports that it is not ready, serves what needs
// no session, and the rest once Redis comes.
func TestRedis_AwayAtStart(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	app := e2etest.Boot(t, append(e2etest.LimitsOn, "REDIS_URL="+server.URL())...)
	status := func(url string) int {
		r := e2etest.Plain(t)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Do(request).Status
	}
	if healthy, ready := status(app.AdminURL()+"/healthz"), status(app.AdminURL()+"/readyz"); healthy != 200 || ready != 503 {
		t.Errorf("healthy %d, ready %d", healthy, ready)
	}
	c := e2etest.Browser(t, app)
	for _, path := range []string{"/", "/login", "/errors/session.unavailable"} {
		c.Send("GET", path, nil, "Accept", "text/html").Want(http.StatusOK)
	}
	c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	c.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword).Unavailable("sign in", "server.unavailable", false)
	server.Restart()
	c.Back("alice@sandbox").WhenBack().Want(http.StatusOK)
	e2etest.Eventually(t, "ready", func() bool { return status(app.AdminURL()+"/readyz") == 200 })
}
