package drill_test

import (
	"context"
	"net/http"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// The following tests break the product on purpose, in two ways: if the drill does not
// fail then, its success means nothing.

// seesSpendingTwice makes Redis, and the nodes, which would repeat it, forget that a
// ceremony and a proof were spent and a session ended.
func (s *site) seesSpendingTwice() {
	s.t.Helper()
	counts := &tally{name: s.store.mode + ": all that was spent or ended is undone, on purpose"}
	signedIn := map[*person]answer{}
	for _, p := range s.crowd {
		p.counts.Store(counts)
		p.ceremonies, p.gone = nil, nil
		p.noteBegun(historytest.Session, p.token, time.Now())
		e2etest.Eventually(s.t, "a ceremony begins", func() bool { p.open = p.begin(newAuthenticator()); return p.open != nil })
		e2etest.Eventually(s.t, p.user+" signs in", func() bool {
			signedIn[p] = p.login(e2etest.RightPassword, "")
			return signedIn[p].status == http.StatusOK
		})
	}
	restore := s.snapshot()
	for _, p := range s.crowd {
		e2etest.Eventually(s.t, "a ceremony is accepted", func() bool { p.finish(p.open); return p.open.accepted > 0 })
		e2etest.Eventually(s.t, p.user+" signs out", func() bool { p.signOut(signedIn[p]); return len(p.gone) > 0 })
		e2etest.Eventually(s.t, "a proof is taken", func() bool { p.prove(); return len(p.device.taken) > 0 })
	}
	for number, node := range s.nodes {
		s.kill(node)
		s.start(number)
	}
	restore()
	s.ready()
	s.each((*person).takeStock)
	counts.row(table)
	s.historySees(historytest.Ceremony, historytest.Session, historytest.Proof)
	if counts.twice == 0 || counts.cameBack == 0 {
		s.t.Errorf("it does not see what was undone: %d spent twice, %d came back", counts.twice, counts.cameBack)
	}
}

// seesNodesThatDoNotDrain makes nodes close as soon as they are told to end.
func (s *site) seesNodesThatDoNotDrain() {
	s.t.Helper()
	s.store.settings = append(s.store.settings, "COUNTERSIGN_DRAIN_DELAY=0s")
	s.end(0)
	s.start(0)
	s.ready()
	d := drill{name: "rolling update without a drain, on purpose", run: func(s *site) {
		probed := s.proxy.round()
		e2etest.Eventually(s.t, "the proxy has just asked", func() bool { return s.proxy.round() > probed })
		s.end(0)
		s.start(0)
		s.ready()
	}}
	var counts *tally
	e2etest.Eventually(s.t, "requests fail", func() bool {
		counts = s.carryOut(d)
		none, _ := counts.unanswered()
		return none > 0
	})
	counts.row(table)
}

// snapshot remembers all of the server's data; restore puts it back.
func (s *site) snapshot() (restore func()) {
	s.t.Helper()
	type kept struct{ key, value string }
	var all []kept
	ctx, client := s.t.Context(), s.store.server.Client()
	redistest.EachKey(s.t, client, func(_ context.Context, node redis.Cmdable, key string) {
		if value, err := node.Dump(ctx, key).Result(); err == nil {
			all = append(all, kept{key, value})
		}
	})
	return func() {
		if err := client.FlushAll(ctx).Err(); err != nil {
			s.t.Fatal(err)
		}
		for _, k := range all {
			if err := client.RestoreReplace(ctx, k.key, 0, k.value).Err(); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}
