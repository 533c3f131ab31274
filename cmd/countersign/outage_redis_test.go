package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"countersign/internal/redisdb/redistest"
)

// Redis may go away at any command of any request, with the command carried out
// or not. The answer is there within a second, it is no sign-out, and the same
// cookie or token is signed in when Redis is back.
func TestRedisBreaksAnywhere(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no") // it is the line that breaks
	watch := newTimekeeper(t)
	type job struct {
		errand
		breakage
	}
	jobs := make(chan job)
	var wait sync.WaitGroup
	for range 8 { // most of the time is spent waiting for a silent line
		l := newRedisLine(t, server.Addr)
		app := boot(t, append(limitsOn, "REDIS_URL="+l.url())...)
		wait.Go(func() {
			for j := range jobs {
				breakEverywhere(t, watch, app, l, j.errand, j.breakage)
			}
		})
	}
	for _, how := range []breakage{{silent: true}, {}, {arrives: true}} {
		for _, a := range errands {
			jobs <- job{a, how}
		}
	}
	close(jobs)
	wait.Wait()
}

// breakEverywhere makes the request again and again, with Redis away one command
// later each time, until the request is through before.
func breakEverywhere(t *testing.T, watch *timekeeper, app *App, l *redisLine, a errand, how breakage) {
	lost, slow := 0, 0
	for passed := 0; passed < 30; passed++ {
		manage(t, app, "POST", "/reset", nil)
		c := a.by(t, app).patiently(l).signedIn("alice@sandbox")
		send := a.prepare(c)
		what := fmt.Sprintf("%s, %+v after %d commands", a.name, how, passed)
		l.breakAfter(passed, how)
		r := watch.within(promptly, what, send)
		switch broken := l.mend(); {
		case !broken && r.status == http.StatusServiceUnavailable && slow < 5: // Redis was too slow, not away
			slow++
			passed--
			continue
		case !broken && (r.status >= http.StatusBadRequest || passed == 0 || lost > momentOfReplacing):
			t.Errorf("%s: nothing broke; status %d; %d times before the session was lost: %s", what, r.status, lost, r.body)
			return
		case !broken:
			return
		case r.status >= http.StatusBadRequest:
			r.withoutRedis(what, a.page)
		}
		switch status := c.whenBack().status; {
		case status == http.StatusOK:
		case a.ends && status == http.StatusUnauthorized && r.status < http.StatusBadRequest:
		case a.ends && status == http.StatusUnauthorized:
			lost++
		default:
			t.Errorf("%s: then GET /session is answered %d", what, status)
		}
	}
	t.Errorf("%s: asks Redis without end", a.name)
}

// limitsOn has the limits count without ever being reached.
var limitsOn = []string{"RATE_SIGN_IN=10000/m", "RATE_SIGN_IN_ADDRESS=100000/m", "RATE_CEREMONY=100000/m", "RATE_CEREMONY_ADDRESS=100000/m"}

// momentOfReplacing is how many commands replace a session by that of a new
// sign-in: one that the answer does not outlive.
const momentOfReplacing = 3

// back signs in as soon as that is possible again.
func (c *client) back(user string) *client {
	c.t.Helper()
	eventually(c.t, user+" can sign in", func() bool {
		r := c.send("POST", "/users/"+user+"/login", rightPassword)
		if r.status == http.StatusOK {
			c.carry(r)
		}
		return r.status == http.StatusOK
	})
	return c
}

// whenBack is what GET /session says once it can.
func (c *client) whenBack() (r reply) {
	c.t.Helper()
	eventually(c.t, "sessions can be read", func() bool {
		r = c.send("GET", "/session", nil)
		return r.status != http.StatusServiceUnavailable
	})
	return r
}

// Redis goes away while many are served, by being killed or by falling silent.
// Nobody waits for more than a second, nobody is signed out, and what was begun
// before is finished after.
func TestRedisGoesAwayUnderLoad(t *testing.T) {
	for name, way := range map[string]struct{ take, giveBack func(*redistest.Server) }{
		"killed":  {(*redistest.Server).Kill, (*redistest.Server).Restart},
		"stalled": {(*redistest.Server).Stall, (*redistest.Server).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			// What a killed process has written, the kernel keeps: nothing waits for the disk.
			server := redistest.Start(t, "--appendfsync", "no")
			app := boot(t, append(limitsOn, "REDIS_URL="+server.URL())...)
			crowd := gather(t, app, 12)
			crowd.everybodyAsks()
			crowd.now(inBetween)
			way.take(server)
			crowd.now(redisAway)
			crowd.everybodyAsks()
			crowd.now(inBetween)
			way.giveBack(server)
			for _, p := range crowd.people {
				if r := p.watching.whenBack(); r.status != http.StatusOK {
					t.Errorf("after the outage: %d %s", r.status, r.body)
				}
			}
			crowd.now(redisThere)
			crowd.everybodyAsks()
			crowd.goHome()
			for _, p := range crowd.people {
				p.client.finishRegistration(p.open).want(http.StatusOK)
			}
		})
	}
}

// Countersign starts while Redis is away, says that it is not ready, serves what
// needs no session, and the rest when Redis comes.
func TestRedisComesLater(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	app := boot(t, append(limitsOn, "REDIS_URL="+server.URL())...)
	status := func(url string) int {
		r := &client{t: t, http: http.DefaultClient}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.do(request).status
	}
	if healthy, ready := status(app.AdminURL()+"/healthz"), status(app.AdminURL()+"/readyz"); healthy != 200 || ready != 503 {
		t.Errorf("healthy %d, ready %d", healthy, ready)
	}
	c := browser(t, app)
	for _, path := range []string{"/", "/login", "/errors/session.unavailable"} {
		c.send("GET", path, nil, "Accept", "text/html").want(http.StatusOK)
	}
	c.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
	c.send("POST", "/users/alice@sandbox/login", rightPassword).unavailable("sign in", "server.unavailable", false)
	server.Restart()
	c.back("alice@sandbox").whenBack().want(http.StatusOK)
	eventually(t, "ready", func() bool { return status(app.AdminURL()+"/readyz") == 200 })
}
