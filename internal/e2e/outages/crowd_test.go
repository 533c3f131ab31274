package outages_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// crowd is many people who ask all the time.
type crowd struct {
	t      *testing.T
	watch  *e2etest.Timekeeper
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
	client, watching *e2etest.Client
	open             string
}

func gather(t *testing.T, app *e2etest.App, people int) *crowd {
	t.Helper()
	all := &crowd{t: t, watch: e2etest.NewTimekeeper(t), leave: make(chan struct{})}
	all.now(redisThere)
	for i := range people {
		by := []func(testing.TB, *e2etest.App) *e2etest.Client{e2etest.Browser, e2etest.Program}[i%2]
		p := &person{client: by(t, app).SignedIn("alice@sandbox")}
		watching := *p.client
		p.watching = &watching
		p.open = p.client.Create(e2etest.NewPasskey(app), p.client.RequestRegistration().Want(http.StatusOK))
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
		r, sound := all.watch.Measure(promptly, a.name, a.prepare(p.client))
		during := all.answered(a.name)
		redis := during.redis
		if during != before || redis == redisThere && !sound {
			redis = inBetween
		}
		all.judge(redis, a, r)
	}
}

func (all *crowd) judge(redis string, a errand, r e2etest.Reply) {
	switch unavailable := r.Status == http.StatusServiceUnavailable; {
	case unavailable && redis != redisThere:
		r.WithoutRedis(a.name, a.page)
	case unavailable || redis == redisAway || r.Status >= http.StatusBadRequest || r.Header.Get("Clear-Site-Data") != "":
		all.t.Errorf("%s, with Redis %s: status %d: %.300s", a.name, redis, r.Status, r.Body)
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
	e2etest.Eventually(all.t, "everything is asked for", func() bool {
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
