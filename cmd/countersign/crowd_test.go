package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

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
		r.withoutRedis(a.name, a.page)
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
