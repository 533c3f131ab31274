package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/internal/redisdb/redistest"
)

// promptly is how soon an answer is there, whatever is away (DESIGN section 10).
const promptly = time.Second

// errand is a request that needs Redis. What it takes is prepared in good health.
type errand struct {
	name    string
	by      func(testing.TB, *App) *client
	page    bool
	prepare func(*client) (send func() reply)
	// ends says that, carried out, it ends the session it is made in or begins
	// another: when its answer is lost, nobody can know which of them lives.
	ends bool
}

var errands = []errand{
	{name: "who am I", by: browser, prepare: sends("GET", "/session", nil)},
	{name: "who am I, an app", by: program, prepare: sends("GET", "/session", nil)},
	{name: "language", by: program, prepare: sends("PATCH", "/session", `{"language":"en"}`)},
	{name: "sessions", by: browser, prepare: sends("GET", "/account/sessions", nil)},
	{name: "end others", by: program, prepare: afterSigningInElsewhere(sends("DELETE", "/account/sessions", nil))},
	{name: "sign out", by: browser, prepare: sends("DELETE", "/session", nil), ends: true},
	{name: "sign out, an app", by: program, prepare: sends("DELETE", "/session", nil), ends: true},
	{name: "sign in", by: program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/login", rightPassword))},
	{name: "sign in again", by: browser, prepare: sends("POST", "/users/alice@sandbox/login", rightPassword), ends: true},
	{name: "sign in again, a ceremony open", by: program, prepare: withCeremony(sends("POST", "/users/alice@sandbox/login", rightPassword)), ends: true},
	{name: "sign in with a passkey", by: browser, prepare: passkeySignIn},
	{name: "begin a passkey sign-in", by: program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`))},
	{name: "push", by: program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/login", `{"orchestrationDelivery":["pushNotification"]}`))},
	{name: "poll", by: program, prepare: poll("")},
	{name: "poll an accepted sign-in", by: program, prepare: poll("accept")},
	{name: "begin a registration", by: browser, prepare: sends("POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`)},
	{name: "finish a registration", by: browser, prepare: registration},
	{name: "authenticators", by: program, prepare: sends("GET", "/users/me/authenticators", nil)},
	{name: "rename", by: program, prepare: onAuthenticator("PATCH", `{"name":"Blue key"}`)},
	{name: "remove", by: program, prepare: onAuthenticator("DELETE", nil)},
	{name: "transaction", by: program, prepare: sends("POST", "/users/me/transactions/validate", payment)},
	{name: "activation", by: browser, prepare: sends("POST", "/users/register", `{"userID":"alice@sandbox"}`)},
	{name: "activation with a password", by: program, prepare: asSomebodyNew(sends("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`))},
	{name: "message of a device", by: program, prepare: activate},
	{name: "home page", by: browser, page: true, prepare: opens("/")},
	{name: "sign-in page", by: browser, page: true, prepare: opens("/login?next=/account")},
	{name: "authenticators page", by: browser, page: true, prepare: opens("/authenticators?notice=removed")},
	{name: "account page", by: browser, page: true, prepare: opens("/account")},
	{name: "password form", by: browser, page: true, prepare: submits("/login", "user=alice@sandbox&password=Sandbox-1!"), ends: true},
	{name: "end-others form", by: browser, page: true, prepare: submits("/authenticators", "action=end-others")},
	{name: "language form", by: browser, page: true, prepare: submits("/account", "action=language&language=en")},
	{name: "sign-out form", by: browser, page: true, prepare: submits("/account", "action=sign-out"), ends: true},
}

const (
	rightPassword = `{"credentials":{"passKey":"Sandbox-1!"}}`
	payment       = `{"orchestrationDelivery":["pushNotification"],"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"1 EUR"}}]}}}`
)

func sends(method, path string, body any) func(*client) func() reply {
	return func(c *client) func() reply {
		return func() reply { return c.send(method, path, body) }
	}
}

func opens(path string) func(*client) func() reply {
	return func(c *client) func() reply {
		return func() reply { return c.send("GET", path, nil, "Accept", "text/html") }
	}
}

func submits(path, form string) func(*client) func() reply {
	return func(c *client) func() reply {
		values, err := url.ParseQuery(form)
		if err != nil {
			c.t.Fatal(err)
		}
		return func() reply {
			return c.send("POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
	}
}

// somebody is another client, who asks as patiently.
func (c *client) somebody(by func(testing.TB, *App) *client) *client {
	other := by(c.t, c.app)
	if p, ok := c.http.Transport.(*patient); ok {
		other.patiently(p.line)
	}
	return other
}

func asSomebodyNew(prepare func(*client) func() reply) func(*client) func() reply {
	return func(c *client) func() reply { return prepare(c.somebody(program)) }
}

func afterSigningInElsewhere(prepare func(*client) func() reply) func(*client) func() reply {
	return func(c *client) func() reply {
		c.somebody(program).password("alice@sandbox")
		return prepare(c)
	}
}

func withCeremony(prepare func(*client) func() reply) func(*client) func() reply {
	return func(c *client) func() reply {
		c.requestRegistration().want(http.StatusOK)
		return prepare(c)
	}
}

func registration(c *client) func() reply {
	response := c.create(newPasskey(c.app), c.requestRegistration().want(http.StatusOK))
	return func() reply { return c.finishRegistration(response) }
}

func passkeySignIn(c *client) func() reply {
	key := newPasskey(c.app)
	c.register(key)
	somebody := c.somebody(browser)
	response := somebody.get(key, somebody.requestSignIn("alice@sandbox"))
	return func() reply { return somebody.finishSignIn("alice@sandbox", response) }
}

func poll(decision string) func(*client) func() reply {
	return func(c *client) func() reply {
		somebody := c.somebody(program)
		id := push(somebody, "alice@sandbox").text("requestID")
		if decision != "" {
			manage(c.t, c.app, "POST", "/push/"+id, map[string]any{"decision": decision})
		}
		return sends("GET", "/sessions/"+id, nil)(somebody)
	}
}

func onAuthenticator(method string, body any) func(*client) func() reply {
	return func(c *client) func() reply {
		c.register(newPasskey(c.app))
		id, _ := c.authenticators()[0]["id"].(string)
		return sends(method, "/users/me/authenticators/"+id, body)(c)
	}
}

func activate(c *client) func() reply {
	password := c.send("POST", "/users/register", `{"userID":"alice@sandbox"}`).want(http.StatusOK).text("activationPassword")
	command, err := json.Marshal(map[string]string{"command": "activate", "userID": "alice@sandbox", "activationPassword": password, "deviceType": "ios"})
	if err != nil {
		c.t.Fatal(err)
	}
	return sends("POST", "/orchestration-commands", map[string]string{"command": hex.EncodeToString(command)})(c.somebody(program))
}

// unavailable checks an answer given while something is away: it says so, says
// when to come back, and takes nothing away from anybody.
func (r reply) unavailable(what, key string, page bool) {
	r.t.Helper()
	if r.status != http.StatusServiceUnavailable {
		r.t.Errorf("%s: status %d: %.200s", what, r.status, r.body)
		return
	}
	if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 10 {
		r.t.Errorf("%s: Retry-After %q", what, r.header.Get("Retry-After"))
	}
	r.takesNothing(what)
	media := r.header.Get("Content-Type")
	if page && (!strings.HasPrefix(media, "text/html") || !has(r.body, "</html>")) {
		r.t.Errorf("%s: no page but %s: %.200s", what, media, r.body)
	}
	if !page && (media != "application/problem+json" || r.text("key") != key || r.member("retryable") != true) {
		r.t.Errorf("%s: not %s but %s: %.200s", what, key, media, r.body)
	}
}

// takesNothing checks that a browser keeps all that it has.
func (r reply) takesNothing(what string) {
	r.t.Helper()
	for _, name := range []string{"Set-Cookie", "Clear-Site-Data", "Location", "WWW-Authenticate"} {
		if value := r.header.Get(name); value != "" {
			r.t.Errorf("%s: status %d with %s: %s", what, r.status, name, value)
		}
	}
}

// timekeeper times answers, and watches how long the machine keeps its goroutine
// waiting meanwhile: a busy processor must not be taken for a slow answer.
type timekeeper struct {
	t    testing.TB
	late atomic.Int64
}

const (
	beat = 5 * time.Millisecond
	// busy is the lateness from which on a measurement says nothing.
	busy = 50 * time.Millisecond
)

func newTimekeeper(t testing.TB) *timekeeper {
	t.Helper()
	k := &timekeeper{t: t}
	done, ticker := make(chan struct{}), time.NewTicker(beat)
	var wait sync.WaitGroup
	wait.Go(func() {
		last := time.Now()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			now := time.Now()
			k.late.Add(int64(max(0, now.Sub(last)-beat)))
			last = now
		}
	})
	t.Cleanup(func() { ticker.Stop(); close(done); wait.Wait() })
	return k
}

// within sends, and fails the test if the answer is not there in limit.
func (k *timekeeper) within(limit time.Duration, what string, send func() reply) reply {
	k.t.Helper()
	r, _ := k.measure(limit, what, send)
	return r
}

// measure is within, and tells whether the machine had time for it.
func (k *timekeeper) measure(limit time.Duration, what string, send func() reply) (r reply, sound bool) {
	k.t.Helper()
	begin, late := time.Now(), k.late.Load()
	r = send()
	took := time.Since(begin)
	sound = k.late.Load()-late < int64(busy)
	if sound && took > limit+busy {
		k.t.Errorf("%s: status %d took %v", what, r.status, took)
	}
	return r, sound
}

// redisLine is the way from Countersign to Redis, which can be broken at any command:
// whether the command still arrives, and whether the line falls silent or goes
// down.
type redisLine struct {
	net.Listener
	redis  string
	mu     sync.Mutex
	ends   map[net.Conn]bool
	left   int // commands that pass before it breaks
	how    breakage
	broken bool
}

type breakage struct {
	arrives bool // the command is carried out, and its answer is lost
	silent  bool // connections stay open
}

const unbroken = 1 << 30

func newRedisLine(t testing.TB, redis string) *redisLine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &redisLine{Listener: listener, redis: redis, ends: map[net.Conn]bool{}, left: unbroken}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { l.connect(&wait, client) })
		}
	})
	t.Cleanup(func() { listener.Close(); l.mend(); wait.Wait() })
	return l
}

func (l *redisLine) url() string { return "redis://" + l.Addr().String() }

// breakAfter lets so many commands pass and breaks at the next.
func (l *redisLine) breakAfter(commands int, how breakage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.how = commands, how
}

// mend drops every connection with what it held, and lets new ones be; it
// reports whether the line was broken.
func (l *redisLine) mend() (broken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	broken, l.broken, l.left = l.broken, false, unbroken
	l.hangUp()
	return broken
}

func (l *redisLine) hangUp() {
	for end := range l.ends {
		end.Close()
	}
	clear(l.ends)
}

func (l *redisLine) connect(wait *sync.WaitGroup, client net.Conn) {
	server, err := net.Dial("tcp", l.redis)
	if err != nil {
		client.Close()
		return
	}
	l.mu.Lock()
	refused := l.broken && !l.how.silent
	l.ends[client], l.ends[server] = true, true
	l.mu.Unlock()
	if refused {
		client.Close()
	}
	wait.Go(func() { l.carry(client, server, l.answers); client.Close() })
	l.carry(server, client, l.command)
	server.Close()
}

// carry carries what passes, until one end is closed.
func (l *redisLine) carry(to, from net.Conn, pass func() bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !pass() {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// command decides about a command; go-redis writes each in one piece.
func (l *redisLine) command() (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return false
	}
	if l.left--; l.left >= 0 {
		return true
	}
	l.broken = true
	if !l.how.arrives && !l.how.silent {
		l.hangUp()
	}
	return l.how.arrives
}

// answers decides about an answer.
func (l *redisLine) answers() (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken && !l.how.silent {
		l.hangUp()
	}
	return !l.broken
}

// healthy reports that nothing is to break.
func (l *redisLine) healthy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left >= unbroken/2 && !l.broken
}

// patient asks again while the line is healthy and Redis is too slow all the
// same: on a busy machine, what a test prepares takes more than one try.
type patient struct {
	http.RoundTripper
	line *redisLine
}

func (c *client) patiently(l *redisLine) *client {
	c.http.Transport = &patient{c.http.Transport, l}
	return c
}

func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for tries := 0; ; tries++ {
		response, err := p.RoundTripper.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || !p.line.healthy() || tries == 10 {
			return response, err
		}
		response.Body.Close()
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
}

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
			r.unavailable(what, "session.unavailable", a.page)
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

// crowd is many people who ask all the time.
type crowd struct {
	t      *testing.T
	watch  *timekeeper
	people []*person
	leave  chan struct{}
	gone   sync.WaitGroup

	mu    sync.Mutex
	phase *phase
}

// phase is a time in which Redis is as it is: an answer is judged by it when the
// request began in it, too.
type phase struct {
	redis string
	seen  map[string]int // answers, by errand
}

const (
	redisThere = "there"
	redisAway  = "away"
	inBetween  = "coming or going"
)

// person is a client with a registration open, and the same again to look on:
// a cookie jar is not for two.
type person struct {
	client, watching *client
	open             string
}

func gather(t *testing.T, app *App, people int) *crowd {
	t.Helper()
	all := &crowd{t: t, watch: newTimekeeper(t), leave: make(chan struct{})}
	all.now(redisThere)
	for i := range people {
		by := []func(testing.TB, *App) *client{browser, program}[i%2]
		p := &person{client: by(t, app).signedIn("alice@sandbox")}
		p.watching = &client{t, app, p.client.http, p.client.header}
		p.open = p.client.create(newPasskey(app), p.client.requestRegistration().want(http.StatusOK))
		all.people = append(all.people, p)
		all.gone.Go(func() { all.askOnAndOn(p, i) })
	}
	t.Cleanup(all.goHome)
	return all
}

// lasting are the errands that leave the session as it is.
var lasting = slices.DeleteFunc(slices.Clone(errands), func(a errand) bool {
	return a.ends || strings.HasPrefix(a.name, "end") || slices.Contains([]string{"rename", "remove", "finish a registration", "sign in with a passkey", "message of a device", "poll", "poll an accepted sign-in"}, a.name)
})

func (all *crowd) askOnAndOn(p *person, from int) {
	for i := from; ; i++ {
		select {
		case <-all.leave:
			return
		default:
		}
		a := lasting[i%len(lasting)]
		before := all.answered("")
		r, sound := all.watch.measure(promptly, a.name, a.prepare(p.client))
		during := all.answered(a.name)
		redis := during.redis
		if during != before || redis == redisThere && !sound {
			redis = inBetween
		}
		all.judge(redis, a, r)
	}
}

func (all *crowd) judge(redis string, a errand, r reply) {
	switch unavailable := r.status == http.StatusServiceUnavailable; {
	case unavailable && redis != redisThere:
		r.unavailable(a.name, "session.unavailable", a.page)
	case unavailable || redis == redisAway || r.status >= http.StatusBadRequest || r.header.Get("Clear-Site-Data") != "":
		all.t.Errorf("%s, with Redis %s: status %d: %.300s", a.name, redis, r.status, r.body)
	}
}

// answered counts an answer, and is the phase it came in.
func (all *crowd) answered(name string) *phase {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.phase.seen[name]++
	return all.phase
}

// now begins another phase.
func (all *crowd) now(redis string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.phase = &phase{redis, map[string]int{}}
}

// everybodyAsks waits until each errand has been answered in this phase, and not
// just once.
func (all *crowd) everybodyAsks() {
	all.t.Helper()
	eventually(all.t, "everything is asked for", func() bool {
		all.mu.Lock()
		defer all.mu.Unlock()
		return !slices.ContainsFunc(lasting, func(a errand) bool { return all.phase.seen[a.name] < 2 })
	})
}

func (all *crowd) goHome() {
	select {
	case <-all.leave:
	default:
		close(all.leave)
	}
	all.gone.Wait()
}

// Countersign starts while Redis is away, says that it is not ready, serves what
// needs no session, and the rest when Redis comes.
func TestRedisComesLater(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	app := boot(t, "REDIS_URL="+server.URL())
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
	c.send("POST", "/users/alice@sandbox/login", rightPassword).unavailable("sign in", "session.unavailable", false)
	server.Restart()
	c.back("alice@sandbox").whenBack().want(http.StatusOK)
	eventually(t, "ready", func() bool { return status(app.AdminURL()+"/readyz") == 200 })
}

// platformCalls are the errands that call the platform, with the call that fails.
var platformCalls = map[string]string{
	"begin a registration":    "generateFidoRegistrationRequest",
	"finish a registration":   "registerFidoDevice",
	"sign in":                 "login",
	"sign in with a passkey":  "login",
	"push":                    "login",
	"begin a passkey sign-in": "generateFidoAuthenticationRequest",
	"poll":                    "sessionStatus",
	"authenticators":          "listFidoRegistrations",
	"rename":                  "renameFidoRegistration",
	"remove":                  "deleteFidoRegistration",
	"authenticators page":     "listFidoRegistrations",
	"password form":           "login",
	"transaction":             "validateTransaction",
	"activation":              "registerUser",
	"message of a device":     "orchestrationCommands",
}

const (
	upstreamTimeout = time.Second
	// little is what an answer may take beyond what it waits for.
	little = 250 * time.Millisecond
)

type fault map[string]any

// failures are the ways in which the platform can fail a call. Times 0 is every
// call, so that trying again does not help.
var failures = []struct {
	name   string
	fault  fault
	status int
	body   bool // it is in the body, which a call with nothing to read does not look at
}{
	{"stalled", fault{"delay": "30s"}, 503, false},
	{"unavailable", fault{"status": 503}, 503, false},
	{"busy", fault{"status": 429, "headers": fault{"Retry-After": "3"}}, 503, false},
	{"broken", fault{"status": 500}, 502, false},
	{"credential refused", fault{"status": 401}, 502, false},
	{"forbidden", fault{"status": 403}, 502, false},
	{"led elsewhere", fault{"status": 302, "headers": fault{"Location": "/elsewhere"}}, 502, false},
	{"a gateway's page", fault{"status": 502, "body": "<html><h1>Bad Gateway</h1></html>"}, 502, false},
	{"a page", fault{"status": 200, "body": "<html>Welcome</html>"}, 502, true},
	{"half an answer", fault{"status": 200, "body": `{"requestID":"x`}, 502, true},
	{"an answer that breaks off", fault{"status": 200, "body": fault{}, "headers": fault{"Content-Length": "1000"}}, 502, true},
	{"a list", fault{"status": 200, "body": []string{}}, 502, true},
}

// Whatever the platform does, the answer is there within the time-out, tells an
// outage from a failure, and leaves everybody signed in.
func TestPlatformFails(t *testing.T) {
	watch := newTimekeeper(t)
	var wait sync.WaitGroup
	for _, a := range errands {
		if operation := platformCalls[a.name]; operation != "" {
			wait.Go(func() { failInEveryWay(t, watch, a, operation) })
		}
	}
	wait.Wait()
}

func failInEveryWay(t *testing.T, watch *timekeeper, a errand, operation string) {
	app := boot(t, "UPSTREAM_TIMEOUT="+upstreamTimeout.String())
	for _, f := range failures {
		if f.body && operation == "renameFidoRegistration" {
			continue
		}
		manage(t, app, "POST", "/reset", nil)
		c := a.by(t, app).back("alice@sandbox")
		send := a.prepare(c)
		broken := maps.Clone(f.fault)
		broken["operation"], broken["times"] = operation, 0
		manage(t, app, "POST", "/faults", broken)
		what := a.name + ", the platform " + f.name
		r := watch.within(upstreamTimeout+little, what, send)
		if f.status == http.StatusServiceUnavailable {
			r.unavailable(what, "platform.unavailable", a.page)
		} else {
			r.failed(what, a.page)
		}
		c.send("GET", "/session", nil).want(http.StatusOK)
	}
}

// failed checks an answer for a call that the platform has failed.
func (r reply) failed(what string, page bool) {
	r.t.Helper()
	r.takesNothing(what)
	if media := r.header.Get("Content-Type"); r.status != http.StatusBadGateway || page != strings.HasPrefix(media, "text/html") {
		r.t.Errorf("%s: status %d, %s: %.200s", what, r.status, media, r.body)
	} else if !page && r.text("key") != "platform.failed" {
		r.t.Errorf("%s: %s", what, r.body)
	}
}

// A platform that is not there is told at once, and used as soon as it is back.
func TestPlatformRefusesConnections(t *testing.T) {
	app, watch := boot(t), newTimekeeper(t)
	for _, a := range errands {
		if platformCalls[a.name] == "" {
			continue
		}
		c := a.by(t, app).back("alice@sandbox")
		send := a.prepare(c)
		address := app.platform.Addr().String()
		if err := app.platform.close(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Two more tries, for calls that can be repeated, are all there is to wait for.
		watch.within(500*time.Millisecond, a.name, send).unavailable(a.name, "platform.unavailable", a.page)
		c.send("GET", "/session", nil).want(http.StatusOK)
		var err error
		if app.platform, err = listen(t.Context(), "platform", address); err != nil {
			t.Fatal(err)
		}
		app.platform.serve(app.sandbox, app.logger, app.failed)
		c.back("alice@sandbox")
	}
}

// After ten outages in a row nobody waits for the platform any more; a second
// later one call finds out whether it is back.
func TestPlatformIsSparedWhileItIsAway(t *testing.T) {
	app, watch := boot(t, "UPSTREAM_TIMEOUT=100ms"), newTimekeeper(t)
	c := program(t, app).signedIn("alice@sandbox")
	manage(t, app, "POST", "/faults", fault{"operation": "login", "delay": "30s", "times": 0})
	signIn := func() reply { return program(t, app).send("POST", "/users/bob@sandbox/login", rightPassword) }
	spared := false
	for range 30 {
		manage(t, app, "DELETE", "/journal", nil)
		r := watch.within(100*time.Millisecond+little, "sign in", signIn)
		r.unavailable("sign in", "platform.unavailable", false)
		if spared = len(journal(t, app)) == 0; spared {
			break
		}
	}
	if !spared {
		t.Error("the platform is called on and on")
	}
	watch.within(little, "another call", func() reply {
		return c.send("GET", "/users/me/authenticators", nil)
	}).unavailable("another call", "platform.unavailable", false)
	manage(t, app, "POST", "/reset", nil)
	eventually(t, "the platform is used again", func() bool { return signIn().status == http.StatusOK })
	c.send("GET", "/users/me/authenticators", nil).want(http.StatusOK)
}

// A sign-in that the platform could not judge is no failed one.
func TestOutagesDoNotCountAsFailedSignIns(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=2/m")
	manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 503, "times": 4})
	manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 500, "times": 4})
	for range 4 {
		program(t, app).send("POST", "/users/alice@sandbox/login", rightPassword).refused(503, "platform.unavailable")
	}
	for range 4 {
		program(t, app).send("POST", "/users/alice@sandbox/login", rightPassword).refused(502, "platform.failed")
	}
	for range 2 {
		wrongPassword(program(t, app), "alice@sandbox").refused(http.StatusConflict, "sign-in.refused")
	}
	wrongPassword(program(t, app), "alice@sandbox").refused(http.StatusTooManyRequests, "request.rate")
}

// A ceremony is spent before the platform is called. If that call fails nobody
// knows what the platform made of it, so it stays spent, and the next one works.
func TestACeremonyStaysSpentWhenThePlatformFails(t *testing.T) {
	app := boot(t)
	c, key := browser(t, app), newPasskey(app)
	c.password("alice@sandbox")
	response := c.create(key, c.requestRegistration().want(http.StatusOK))
	manage(t, app, "POST", "/faults", fault{"operation": "registerFidoDevice", "status": 503})
	c.finishRegistration(response).unavailable("register", "platform.unavailable", false)
	c.finishRegistration(response).refused(http.StatusConflict, "ceremony.spent")
	key = newPasskey(app)
	c.register(key)

	somebody := program(t, app)
	response = somebody.get(key, somebody.requestSignIn("alice@sandbox"))
	manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 503})
	somebody.finishSignIn("alice@sandbox", response).unavailable("sign in", "platform.unavailable", false)
	somebody.finishSignIn("alice@sandbox", response).refused(http.StatusConflict, "ceremony.spent")
	somebody.passkey("alice@sandbox", key)
}

// Who hangs up while the platform thinks leaves nothing behind.
func TestNothingIsLeftOfWhoWentAway(t *testing.T) {
	for _, operation := range []string{"listFidoRegistrations", "generateFidoRegistrationRequest"} {
		t.Run(operation, func(t *testing.T) {
			var log lockedBuffer
			app := bootTo(t, &log)
			c := program(t, app).signedIn("alice@sandbox")
			manage(t, app, "POST", "/faults", fault{"operation": operation, "delay": "30s", "times": 0})
			before := goleak.IgnoreCurrent()
			method, path, body := "GET", "/users/me/authenticators", ""
			if operation != "listFidoRegistrations" {
				method, path, body = "POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`
			}
			ctx, hangUp := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, method, app.URL()+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header = c.header.Clone()
			request.Header.Set("Content-Type", "application/json")
			answered := make(chan error, 1)
			go func() {
				_, err := (&http.Transport{}).RoundTrip(request)
				answered <- err
			}()
			eventually(t, "the platform is called", func() bool { return slices.Contains(journal(t, app), operation) })
			hangUp()
			if err := <-answered; err == nil {
				t.Error("who went away was answered")
			}
			eventually(t, "the request is given up", func() bool { return strings.Contains(log.String(), "key=request.cancelled") })
			http.DefaultClient.CloseIdleConnections()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

// lockedBuffer is a log to be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Closing lets what is under way finish, and takes nothing new.
func TestClosingLetsRequestsFinish(t *testing.T) {
	app := unopened(t, io.Discard)
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow := slowSignIn(t, app, "600ms")
	closed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), drain)
		defer cancel()
		closed <- app.Close(ctx)
	}()
	eventually(t, "nothing new is taken", func() bool {
		conn, err := net.Dial("tcp", app.public.Addr().String())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	if r := <-slow; r.status != http.StatusOK {
		t.Errorf("what was under way ended in %d: %s", r.status, r.body)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// slowSignIn is a sign-in that has reached the platform and stays there for so long.
func slowSignIn(t *testing.T, app *App, long string) <-chan reply {
	t.Helper()
	manage(t, app, "POST", "/faults", fault{"operation": "login", "delay": long})
	slow := make(chan reply, 1)
	c := program(t, app)
	go func() { slow <- c.send("POST", "/users/alice@sandbox/login", rightPassword) }()
	eventually(t, "the platform is called", func() bool { return slices.Contains(journal(t, app), "login") })
	return slow
}

// The program itself drains when it is told to end: for as long as a request
// needs, and for ten seconds at most.
func TestTheProgramDrains(t *testing.T) {
	for _, tc := range []struct {
		name, delay string
		status      int // of the request under way; 0 is no answer
		exit        int
		atLeast     time.Duration
	}{
		{"a request that ends", "1s", http.StatusOK, 0, 0},
		{"a request without end", "60s", 0, 1, drain},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			watch := newTimekeeper(t)
			p := startProgram(t, "serve", "COUNTERSIGN_UPSTREAM_TIMEOUT=60s", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
			p.post(p.sandbox+"/_manage/faults", `{"operation":"login","delay":"`+tc.delay+`"}`)
			answered := make(chan int, 1)
			go func() { answered <- p.post(p.url+"/users/alice@sandbox/login", rightPassword) }()
			eventually(t, "the platform is called", func() bool { return strings.Contains(p.get(p.sandbox+"/_manage/journal"), `"login"`) })
			begin := time.Now()
			watch.within(drain+2*time.Second, "the end", func() (r reply) {
				if err := p.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				_ = p.Wait() // the exit status is looked at below
				return r
			})
			if took := time.Since(begin); took < tc.atLeast {
				t.Errorf("it ended after %v, and a request was under way", took)
			}
			if status := <-answered; status != tc.status {
				t.Errorf("the request under way ended in %d", status)
			}
			if exit := p.ProcessState.ExitCode(); exit != tc.exit {
				t.Errorf("exit status %d", exit)
			}
		})
	}
}

// role makes the test binary another program, for what only a process of its own
// can show: the program itself, or what benchmarks hold it against.
const role = "TEST_BINARY_ROLE"

var _ = func() bool {
	switch os.Getenv(role) {
	case "program":
		main()
	case "bare":
		bare()
	}
	return true
}()

// process is the program in a process of its own, which dies with the test.
type process struct {
	*exec.Cmd
	t            testing.TB
	url, sandbox string // as its banner says
}

// startProgram starts it with one argument, or none, and waits for its banner.
func startProgram(t testing.TB, argument string, settings ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0], strings.Fields(argument)...), t: t}
	p.Env = append([]string{role + "=program", "COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0"}, settings...)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	banner := bufio.NewScanner(out)
	address := regexp.MustCompile(`^  (Countersign|Sandbox|Admin|It serves) +([^ ]+)`)
	for banner.Scan() {
		switch found := address.FindStringSubmatch(banner.Text()); {
		case found == nil:
		case found[1] == "Countersign":
			p.url = found[2]
		case found[1] == "Sandbox":
			p.sandbox = found[2]
		default:
			return p
		}
	}
	t.Fatal("the program ended before it began")
	return nil
}

// post is the status of a POST of JSON, 0 if there is no answer.
func (p *process) post(url, body string) int {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

func (p *process) get(url string) string {
	response, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return string(body)
}
