package outages_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// load is many clients that send calls continuously.
type load struct {
	t       *testing.T
	watch   *e2etest.Stopwatch
	clients []*loadClient
	done    chan struct{}
	running sync.WaitGroup

	mu    sync.Mutex
	phase *phase
}

// phase is a time in which Redis does not change. It judges answers whose calls also
// began in it.
type phase struct {
	redis string
	seen  map[string]int // answers, by name of the call
}

const (
	redisUp       = "up"
	redisDown     = "down"
	redisChanging = "changing"
)

// loadClient is a client with a registration under way. The test sends as watching, which
// shares its cookies or its token.
type loadClient struct {
	client, watching *e2etest.Client
	open             string
}

func startLoad(t *testing.T, app *e2etest.App, clients int) *load {
	t.Helper()
	l := &load{t: t, watch: e2etest.NewStopwatch(t), done: make(chan struct{})}
	l.enter(redisUp)
	for i := range clients {
		by := []func(testing.TB, *e2etest.App) *e2etest.Client{e2etest.Browser, e2etest.Program}[i%2]
		p := &loadClient{client: by(t, app).SignedIn("alice@sandbox")}
		shownTo(p.client)
		watching := *p.client
		p.watching = &watching
		p.open = p.client.Create(e2etest.NewPasskey(app), p.client.RequestRegistration().Want(http.StatusOK))
		l.clients = append(l.clients, p)
	}
	for i, p := range l.clients { // clients that still sign in are not disturbed
		l.running.Go(func() { l.run(p, i) })
	}
	t.Cleanup(l.stop)
	return l
}

// repeatable are the calls that leave the session unchanged and need no earlier object.
var repeatable = slices.DeleteFunc(slices.Clone(calls), func(a call) bool {
	return a.ends || strings.HasPrefix(a.name, "end") || strings.HasSuffix(a.name, "verification") || a.name == "verification page" ||
		slices.Contains([]string{"rename", "remove", "finish a registration", "sign in with a passkey", "message of a device", "poll", "poll an accepted sign-in"}, a.name)
})

func (l *load) run(p *loadClient, from int) {
	for i := from; ; i++ {
		select {
		case <-l.done:
			return
		default:
		}
		a := repeatable[i%len(repeatable)]
		before := l.answered("")
		r, idle := l.watch.Measure(promptly, a.name, a.prepare(p.client))
		during := l.answered(a.name)
		redis := during.redis
		if during != before || redis == redisUp && !idle {
			redis = redisChanging
		}
		l.judge(redis, a, r)
	}
}

func (l *load) judge(redis string, a call, r e2etest.Reply) {
	switch unavailable := r.Status == http.StatusServiceUnavailable; {
	case unavailable && redis != redisUp:
		r.WithoutRedis(a.name, a.page)
	case unavailable || redis == redisDown || r.Status >= http.StatusBadRequest || r.Header.Get("Clear-Site-Data") != "":
		l.t.Errorf("%s, with Redis %s: status %d: %.300s", a.name, redis, r.Status, r.Body)
	}
}

// answered counts an answer and returns the phase of its arrival.
func (l *load) answered(name string) *phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase.seen[name]++
	return l.phase
}

// enter begins another phase.
func (l *load) enter(redis string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = &phase{redis, map[string]int{}}
}

// allAnswered waits until each call has been answered twice in this phase.
func (l *load) allAnswered() {
	l.t.Helper()
	e2etest.Eventually(l.t, "every call is answered", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !slices.ContainsFunc(repeatable, func(a call) bool { return l.phase.seen[a.name] < 2 })
	})
}

func (l *load) stop() {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	l.running.Wait()
}
