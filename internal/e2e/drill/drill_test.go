package drill_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
)

var (
	full = flag.Bool("full", false, "all drills, with each kind of Redis")
	soak = flag.Duration("soak", 0, "how long the soak takes")
	// histories are written for people to read; they are judged in any case.
	histories = flag.String("histories", "", "the directory for what was asked and answered in each drill")
)

// scale sets the amount of load and the times.
type scale struct {
	crowd  int           // number of people
	pace   time.Duration // between two actions of a person
	settle time.Duration // before and after something breaks
	broken time.Duration // how long it stays broken
	probe  time.Duration // interval of the proxy's readiness probes
	drain  time.Duration // how long an ending node goes on serving
}

// scaleOf returns the scale that the flags ask for.
func scaleOf() scale {
	if *full || *soak > 0 {
		return scale{crowd: 6, pace: 20 * time.Millisecond, settle: time.Second, broken: 3 * time.Second, probe: time.Second, drain: 5 * time.Second}
	}
	return scale{crowd: 3, pace: 60 * time.Millisecond, settle: 300 * time.Millisecond, broken: 1200 * time.Millisecond, probe: 200 * time.Millisecond, drain: 8 * time.Second}
}

// table receives the rows.
var table io.Writer = os.Stdout

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		var err error
		if builds, err = os.MkdirTemp("", "countersign-drill-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(builds)
		return m.Run()
	}())
}

// carryOut runs a drill while people go on, and checks the remaining state.
func (s *site) carryOut(d drill) *tally {
	s.t.Helper()
	counts := &tally{name: s.store.mode + ": " + d.name}
	s.each(func(p *person) {
		p.counts.Store(&tally{}) // the preparation does not count
		p.ceremonies, p.gone = nil, nil
		e2etest.Eventually(s.t, "a ceremony begins", func() bool { p.open = p.begin(newAuthenticator()); return p.open != nil })
		p.comeAndGo()
		p.counts.Store(counts)
		p.noteBegun(historytest.Session, p.token, time.Now())
	})
	if s.disabledUser.disabled {
		s.disabledUser.comeBack()
	}
	stop := s.load()
	pass(s.scale.settle)
	began := time.Now()
	d.run(s)
	if d.failover {
		s.history.FailedOver(historytest.Failover{Began: began, Known: s.known})
	}
	pass(s.scale.settle)
	stop()
	s.each((*person).takeStock)
	s.takeStockOfDisabledUser(counts)
	s.judgeHistory(counts.name)
	return counts
}

// each runs do for every person, concurrently.
func (s *site) each(do func(*person)) {
	var all sync.WaitGroup
	for _, p := range s.crowd {
		all.Go(func() { do(p) })
	}
	all.Wait()
}

// load makes everybody act continuously until stop is called.
func (s *site) load() (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	for number, p := range s.crowd {
		all.Go(func() {
			tick := time.NewTicker(s.scale.pace)
			defer tick.Stop()
			for i := number; ; i++ {
				select {
				case <-done:
					return
				case <-tick.C:
					steps[i%len(steps)](p)
				}
			}
		})
	}
	return func() { close(done); all.Wait() }
}

// takeStock checks what a person still has.
func (p *person) takeStock() {
	counts := p.counts.Swap(&tally{}) // the check does not count either
	var who answer
	e2etest.Eventually(p.site.t, p.user+" is answered", func() bool {
		who = p.use(p.token)
		return !who.away()
	})
	if who.status != 200 {
		counts.found(&counts.sessionsLost)
		p.token = p.login(e2etest.RightPassword, "").text("sessionToken")
	}
	if p.open.accepted == 0 {
		p.ceremonies = append(p.ceremonies, p.open)
	}
	for _, c := range slices.Clone(p.ceremonies) {
		could := c == p.open || c.again
		before := c.accepted
		var last answer
		e2etest.Eventually(p.site.t, p.user+"'s ceremony is answered", func() bool {
			last = p.finish(c)
			could = could && (last.status < 500 || c.again) // unless the client was told to begin again
			return !last.away()
		})
		switch {
		case c.accepted > max(1, before): // what was accepted while people went on, the history judges
			counts.found(&counts.twice)
		case could && before == 0 && c.accepted == 0 && who.status == 200:
			counts.found(&counts.cutShort)
			p.site.t.Logf("%s was told %q, and then %d %s", c.path, c.told, last.status, last.body)
		}
	}
	for _, token := range p.gone {
		var gone answer
		e2etest.Eventually(p.site.t, "a session that is over is answered", func() bool {
			gone = p.use(token)
			return !gone.away()
		})
		if gone.status == 200 {
			counts.found(&counts.cameBack)
		}
	}
	p.takeStockOfProofs(counts)
	p.counts.Store(counts)
}

// judge fails the test if a drill violated a rule.
func (s *site) judge(d drill, counts *tally) {
	s.t.Helper()
	counts.row(table)
	if err := counts.broken(); err != nil {
		s.t.Error(err)
	}
	if none, examples := counts.unanswered(); d.calm && none > 0 {
		s.t.Errorf("%s: %d requests had no answer: %q", counts.name, none, examples)
	}
	if d.flawless && counts.unavailable+counts.failed > 0 {
		if !*full && counts.failed == 0 && counts.slowest >= silence {
			s.t.Logf("%s: this machine was too busy to tell: %d requests of %v and more found no Redis", counts.name, counts.unavailable, silence)
			return
		}
		s.t.Errorf("%s: %d requests failed: %q", counts.name, counts.unavailable+counts.failed, counts.examples)
	}
}

// silence is how long a request waits for Redis. Beside other tests, a healthy one may not answer
// within it.
const silence = 500 * time.Millisecond

// Things break one at a time, and people keep their sessions, passkeys and packages.
func TestDrill_DependenciesBreak(t *testing.T) {
	if *soak > 0 {
		soakFor(t, *soak)
		return
	}
	fmt.Fprint(table, tableHead)
	t.Run("single", func(t *testing.T) {
		s := newSite(t, withServer(t))
		s.drills(nodes)
		first, lasting := s.gauges(s.nodes[0]), s.lasting()
		s.drills(ofServer)
		s.leavesNothing(s.nodes[0], first, lasting)
		s.seesSpendingTwice()
		if *full {
			s.seesNodesThatDoNotDrain()
		}
	})
	t.Run("secrets", func(t *testing.T) {
		store, all := withFiles(t)
		s := newSite(t, store)
		s.readsDocuments()
		s.drills([]drill{rotate(all)})
	})
	if !*full {
		return
	}
	t.Run("Sentinel", func(t *testing.T) { newSite(t, withSentinel(t)).drills(ofSentinel) })
	t.Run("Cluster", func(t *testing.T) { newSite(t, withCluster(t)).drills(ofCluster) })
}

// drills runs the drills of this form, one after the other.
func (s *site) drills(all []drill) {
	s.t.Helper()
	for _, d := range all {
		if *full || d.short {
			s.judge(d, s.carryOut(d))
		}
	}
}
