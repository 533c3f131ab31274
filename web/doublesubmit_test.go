package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"

	"countersign/handlers/page"
	"countersign/internal/dpop"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/request"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
	"countersign/session"
)

// pressed is a form's button, whose answer tells how often the work was done.
type pressed struct {
	t        *testing.T
	redis    redisdb.Client
	sessions *session.Store
	engine   *gin.Engine
	of       *session.Session // who presses; nil is nobody
	done     int
	under    func(*gin.Context) // happens while the work is under way
}

func newPressed(t *testing.T) *pressed {
	t.Helper()
	db := dbtest.Embedded(t)
	keys := sealtest.Keys(bytes.Repeat([]byte{1}, seal.KeyLength))
	sessions, err := session.NewStore(session.Options{
		Redis: db.Client, Keys: keys, CookieName: "session", Idle: time.Hour, Lifetime: time.Hour, RecordTTL: time.Minute, Timeout: time.Minute,
		Proofs: &dpop.Verifier{}, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &pressed{t: t, redis: db.Client, sessions: sessions, engine: gin.New()}
	e := &edge{Options: Options{Presses: idempotency.New(idempotency.Options{
		Redis: db.Client, Leases: redisdb.NewLeases(db.Client, []byte("a key"), time.Minute), Keys: keys, Now: time.Now, Keep: time.Hour, Wait: time.Hour,
	})}}
	who := func(c *gin.Context) {
		if request.Begin(c); p.of != nil {
			request.From(c).Session = p.of
		}
	}
	work := func(c *gin.Context) {
		p.done++
		if p.under != nil {
			p.under(c)
		}
		status, _ := strconv.Atoi(c.PostForm("status"))
		c.String(max(status, http.StatusOK), fmt.Sprint(p.done))
	}
	p.engine.POST("/account", who, e.onePress, work)
	p.engine.POST("/login", who, e.onePress, work)
	return p
}

// signedIn begins a session.
func (p *pressed) signedIn(person string) *session.Session {
	p.t.Helper()
	s, err := p.sessions.SignIn(p.t.Context(), session.SignIn{User: session.User{ID: person}, Method: "password"})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// as presses the button as somebody, and returns the answer.
func (p *pressed) as(who *session.Session, address, form string) string {
	p.of = who
	return p.press(p.t.Context(), address, form)
}

func (p *pressed) press(ctx context.Context, address, form string) string {
	r, w := httptest.NewRequest(http.MethodPost, address, strings.NewReader(form)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	p.engine.ServeHTTP(w, r.WithContext(ctx))
	return w.Body.String()
}

// kept returns the number of answers in Redis.
func (p *pressed) kept() int {
	p.t.Helper()
	names, err := p.redis.Keys(p.t.Context(), "cs:idempotency:*").Result()
	if err != nil {
		p.t.Fatal(err)
	}
	return len(names)
}

// aPress is a form with what tells its press from others.
func aPress(fields ...string) string {
	form := url.Values{page.PressInput: {strings.Repeat("P", page.PressLength)}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form.Encode()
}

// A press is one of one session, of one form at one address; any other does the work once more, and
// gets an answer of its own.
func TestOnePress_PerSession(t *testing.T) {
	p := newPressed(t)
	alice := p.signedIn("alice@sandbox")
	first := p.as(alice, "/account?ask=one", aPress("action", "a"))
	if again := p.as(alice, "/account?ask=one", aPress("action", "a")); first != "1" || again != "1" {
		t.Fatalf("the same press is answered %q and %q", first, again)
	}
	for name, other := range map[string]struct {
		who           *session.Session
		address, form string
	}{
		"another person's":          {p.signedIn("bob@sandbox"), "/account?ask=one", aPress("action", "a")},
		"another session's":         {p.signedIn("alice@sandbox"), "/account?ask=one", aPress("action", "a")},
		"after the sign-out":        {nil, "/account?ask=one", aPress("action", "a")},
		"another question's":        {alice, "/account?ask=two", aPress("action", "a")},
		"of another button":         {alice, "/account?ask=one", aPress("action", "b")},
		"with another field":        {alice, "/account?ask=one", aPress("action", "a", "more", "")},
		"of a sign-in":              {alice, "/login", aPress("step", "password")},
		"of no press":               {alice, "/account?ask=one", "action=a"},
		"of a press that is longer": {alice, "/account?ask=one", aPress("action", "a", page.PressInput, strings.Repeat("P", page.PressLength+1))},
	} {
		before := p.done
		if got := p.as(other.who, other.address, other.form); got == first || p.done != before+1 {
			t.Errorf("%s: done %d times, answered %q", name, p.done-before, got)
		}
	}
}

// Who has no session signs in by one press; the second may have the session of the first. Nothing
// that costs no try is kept, so that nobody fills Redis.
func TestOnePress_KeptResponses(t *testing.T) {
	p := newPressed(t)
	alice := p.signedIn("alice@sandbox")
	for name, press := range map[string]struct {
		who, again    *session.Session
		address, form string
		kept          int
	}{
		"a right password":          {nil, alice, "/login", aPress("step", "password", "status", "303"), 1},
		"a wrong password":          {nil, nil, "/login", aPress("step", "password", "status", "409"), 1},
		"a misspelt name":           {nil, nil, "/login", aPress("step", "password", "status", "400"), 0},
		"too much":                  {nil, nil, "/login", aPress("step", "password", "status", "413"), 0},
		"too many tries":            {nil, nil, "/login", aPress("step", "password", "status", "429"), 0},
		"a name":                    {nil, nil, "/login", aPress("step", "user"), 0},
		"a page for others":         {nil, nil, "/account", aPress("status", "303"), 0},
		"a refusal of what is sent": {alice, alice, "/account", aPress("status", "422"), 0},
		"a platform that is down":   {alice, alice, "/account", aPress("status", "503"), 1},
	} {
		before, kept := p.done, p.kept()
		first, second := p.as(press.who, press.address, press.form), p.as(press.again, press.address, press.form)
		if (first == second) != (press.kept == 1) || p.done-before != 2-press.kept || p.kept()-kept != press.kept {
			t.Errorf("%s: answered %q and %q, done %d times, %d are kept", name, first, second, p.done-before, p.kept()-kept)
		}
	}
}

// The work goes on when its client leaves, and nobody waits for it then: a second press that was
// given up costs Redis nothing more.
func TestOnePress_SecondPressAbandoned(t *testing.T) {
	p := newPressed(t)
	p.of = p.signedIn("alice@sandbox")
	ctx, leave := context.WithCancel(t.Context())
	p.under = func(c *gin.Context) {
		leave()
		if err := c.Request.Context().Err(); err != nil {
			t.Error(err)
		}
		if got := p.press(ctx, "/account", aPress()); got == "1" || p.done != 1 {
			t.Errorf("who has left is answered %q; done %d times", got, p.done)
		}
	}
	if first, again := p.press(ctx, "/account", aPress()), p.press(t.Context(), "/account", aPress()); first != "1" || again != "1" {
		t.Errorf("answered %q and %q", first, again)
	}
}

// A client that leaves at whatever command of Redis: the work is not begun for it, or goes on, and
// the next press gets the answer of work that nobody's leaving has ended.
func TestOnePress_ClientLeaves(t *testing.T) {
	for command := 1; ; command++ {
		p := newPressed(t)
		p.of = p.signedIn("alice@sandbox")
		ctx, leave := context.WithCancel(t.Context())
		at := &leaver{after: command, leave: leave}
		p.redis.AddHook(at)
		p.under = func(c *gin.Context) {
			select {
			case <-c.Request.Context().Done():
				t.Errorf("after command %d the work is given up", command)
			case <-time.After(10 * time.Millisecond): // longer than a context takes to end another
			}
		}
		p.press(ctx, "/account", aPress())
		commands := at.seen.Load()
		if again := p.press(t.Context(), "/account", aPress()); again != "1" || p.done != 1 {
			t.Errorf("after command %d: answered %q, done %d times", command, again, p.done)
		}
		if leave(); commands < int64(command) {
			return
		}
	}
}

// leaver ends a context after a number of commands of Redis.
type leaver struct {
	after int
	seen  atomic.Int64
	leave func()
}

// DialHook implements redis.Hook.
func (l *leaver) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (l *leaver) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, c redis.Cmder) error {
		err := next(ctx, c)
		if l.seen.Add(1) == int64(l.after) {
			l.leave()
		}
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (l *leaver) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, all []redis.Cmder) error {
		err := next(ctx, all)
		if l.seen.Add(1) == int64(l.after) {
			l.leave()
		}
		return err
	}
}
