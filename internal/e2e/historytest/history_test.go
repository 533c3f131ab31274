package historytest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
)

// crowd are people who use two nodes at once, over a Redis that may be broken.
type crowd struct {
	t        *testing.T
	nodes    []*e2etest.App
	recorder historytest.Recorder
	// broken says that the Redis is, and may lose a session of theirs.
	broken bool
}

func newCrowd(t *testing.T, redis *miniredis.Miniredis, broken bool) *crowd {
	t.Helper()
	clock := &e2etest.Clock{}
	return &crowd{t: t, broken: broken, nodes: e2etest.BootNodesApart(t, "redis://"+redis.Addr(), []*e2etest.Clock{clock, clock})}
}

// rounds is how often everybody does everything.
const rounds = 5

// act has everybody do everything on both nodes, and judges what was recorded.
func (c *crowd) act() (found map[historytest.Thing]int) {
	c.t.Helper()
	var all sync.WaitGroup
	for _, user := range []string{"alice@sandbox", "bob@sandbox", "carol@sandbox"} {
		all.Go(func() {
			for round := range rounds {
				p := &person{c, e2etest.Program(c.t, c.nodes[round%2]).SignedIn(user)}
				p.ceremony()
				p.session(user)
				p.key(fmt.Sprintf("%s-%d", user, round))
			}
		})
	}
	all.Wait()
	events, violations := c.recorder.Judge()
	found = map[historytest.Thing]int{}
	for _, v := range violations {
		found[v.Thing]++
	}
	c.t.Logf("of %d events there is no explanation for %v", events, found)
	return found
}

// person is a signed-in person of a crowd.
type person struct {
	*crowd
	*e2etest.Client
}

// atOnce calls do with clients of the session, of both nodes in turn, at once.
func (p *person) atOnce(times int, do func(number int, on *e2etest.Client)) {
	var all sync.WaitGroup
	for number := range times {
		on := p.On(p.nodes[number%len(p.nodes)])
		all.Go(func() { do(number, on) })
	}
	all.Wait()
}

// note records an event that was asked since.
func (p *person) note(thing historytest.Thing, id string, said historytest.Said, since time.Time) {
	p.recorder.Note(historytest.Event{Thing: thing, ID: id, Said: said, Asked: since})
}

// ceremony sends one response to both nodes, several times at once, and once more.
func (p *person) ceremony() {
	since := time.Now()
	response := p.Create(e2etest.NewPasskey(p.App), p.RequestRegistration().Want(http.StatusOK))
	p.note(historytest.Ceremony, response, historytest.Begun, since)
	finish := func(_ int, on *e2etest.Client) {
		since := time.Now()
		p.note(historytest.Ceremony, response, historytest.OfCeremony(answer(on.FinishRegistration(response))), since)
	}
	p.atOnce(4, finish)
	finish(0, p.Client)
	for _, passkey := range p.Authenticators() {
		p.Send("DELETE", "/users/me/authenticators/"+passkey["id"].(string), nil)
	}
}

// session uses a session on both nodes while it ends, and afterwards.
func (p *person) session(user string) {
	since := time.Now()
	other := &person{p.crowd, e2etest.Program(p.T, p.nodes[0]).SignedIn(user)}
	token := other.Header.Get("Authorization")
	p.note(historytest.Session, token, historytest.Begun, since)
	use := func(number int, on *e2etest.Client) {
		method, of := "GET", historytest.OfSession
		if number == 3 {
			method, of = "DELETE", historytest.OfSignOut
		}
		since := time.Now()
		p.note(historytest.Session, token, of(answer(on.Send(method, "/session", nil))), since)
	}
	other.atOnce(6, use)
	other.atOnce(2, use)
}

// key sends one request with a key to both nodes, several times at once, and once more;
// and counts what the platform has.
func (p *person) key(name string) {
	upload := func(_ int, on *e2etest.Client) {
		since := time.Now()
		r := on.Send("POST", "/api/packages", map[string]any{"name": name}, "Idempotency-Key", name)
		if r.Status == http.StatusConflict && r.Text("key") == "request.idempotency-busy" || r.Status == http.StatusUnauthorized && p.broken {
			return
		}
		r.Want(http.StatusOK)
		p.recorder.Note(historytest.Event{Thing: historytest.Key, ID: name, Said: historytest.Made, Package: r.Text("id"), Asked: since})
	}
	p.atOnce(4, upload)
	upload(0, p.Client)
	since := time.Now()
	p.recorder.Note(historytest.Event{Thing: historytest.Key, ID: name, Said: historytest.Counted, Count: p.packages(name), Asked: since})
}

// packages returns how many packages of that name the platform has.
func (p *person) packages(name string) int {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.App.SandboxURL()+"/api/packages?search="+url.QueryEscape(name), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	count, _ := e2etest.Plain(p.t).Do(request).Want(http.StatusOK).Member("count").(float64)
	return int(count)
}

func answer(r e2etest.Reply) historytest.Answer {
	key := ""
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/problem+json") {
		key = r.Text("key")
	}
	return historytest.Answer{Status: r.Status, Key: key}
}

// Two nodes over one Redis keep the three promises.
func TestHistories_TwoNodesOneRedis(t *testing.T) {
	t.Parallel()
	if found := newCrowd(t, miniredis.RunT(t), false).act(); len(found) > 0 {
		t.Errorf("no order explains what was answered of %v", found)
	}
}

// The checker finds a Redis that breaks a promise, and blames nothing else.
func TestChecker_FindsBrokenPromises(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]struct {
		fault  fault
		breaks historytest.Thing
	}{
		"spending is not atomic":       {spendsInTwoSteps, historytest.Ceremony},
		"an ended session is restored": {restoresSessions, historytest.Session},
		"a key's record is not kept":   {keepsNoRecords, historytest.Key},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := newCrowd(t, brokenRedis(t, broken.fault), true).act()
			if found[broken.breaks] == 0 || len(found) != 1 {
				t.Errorf("found %v, want only %s", found, broken.breaks)
			}
		})
	}
}
