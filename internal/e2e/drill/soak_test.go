package drill_test

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// gauges are a node's use of resources, and Redis's number of keys.
type gauges struct{ memory, goroutines, files, keys float64 }

func (g gauges) String() string {
	return fmt.Sprintf("| %.0f MiB | %.0f | %.0f | %.0f |", g.memory/(1<<20), g.goroutines, g.files, g.keys)
}

// gauges reads the gauges of one node.
func (s *site) gauges(node *e2etest.Process) (g gauges) {
	s.t.Helper()
	lines := bufio.NewScanner(strings.NewReader(node.Get(node.Admin + "/metrics")))
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, _ := strconv.ParseFloat(text, 64) // a comment is not a number, and has no such name
		switch name {
		case "process_resident_memory_bytes":
			g.memory = value
		case "go_goroutines":
			g.goroutines = value
		case "process_open_fds":
			g.files = value
		}
	}
	keys, err := s.store.server.Client().DBSize(s.t.Context()).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	g.keys = float64(keys)
	return g
}

// leavesNothing waits until a node uses no more than at first, except for connections
// that it keeps, and until Redis has only its earlier keys without expiry, except those
// of the index, which come with the first package. What a failure leaves behind would
// exceed that.
func (s *site) leavesNothing(node *e2etest.Process, first gauges, lasting []string) {
	s.t.Helper()
	const kept, index = 64, 8
	e2etest.Eventually(s.t, "nothing is left of failures", func() bool {
		now := s.gauges(node)
		return now.goroutines <= first.goroutines+kept && now.files <= first.files+kept && len(s.lasting()) <= len(lasting)+index
	})
}

// lasting returns the keys in Redis without expiry.
func (s *site) lasting() (keys []string) {
	s.t.Helper()
	redistest.EachKey(s.t, s.store.server.Client(), func(ctx context.Context, node redis.Cmdable, key string) {
		// -1 means no expiry, -2 no such key any more.
		if left, err := node.PTTL(ctx, key).Result(); err == nil && left == -1 {
			keys = append(keys, key)
		}
	})
	return keys
}

// soaking are settings with which all temporary data in Redis expires within a minute or
// two.
var soaking = []string{"COUNTERSIGN_CEREMONY_TTL=30s", "COUNTERSIGN_REMOTE_TRANSACTION_TIMEOUT=10s", "COUNTERSIGN_SESSION_IDLE=1m"}

// soakFor runs the load for so long, and compares the nodes' resources in the second
// quarter with the last.
func soakFor(t *testing.T, long time.Duration) {
	t.Helper()
	store := withServer(t)
	store.own[0] = store.own[1] // the line has a connection for each of the node's
	s := newSite(t, store, soaking...)
	s.sparing = true
	s.each(func(p *person) {
		p.once = false
		p.noteBegun(historytest.Session, p.token, time.Now())
	})
	stop := sync.OnceFunc(s.load())
	defer stop()
	samples := make([][]gauges, len(s.nodes))
	tick := time.NewTicker(max(long/400, time.Second))
	defer tick.Stop()
	events := 0
	for end := time.After(long); ; {
		select {
		case <-end:
			stop()
			events += s.judgeQuiet(0)
			fmt.Fprintf(table, "a history of %d events\n", events)
			for number, all := range samples {
				judgeSoak(t, number, all)
			}
			return
		case <-tick.C:
			events += s.judgeQuiet(time.Minute)
			for number, node := range s.nodes {
				samples[number] = append(samples[number], s.gauges(node))
			}
		}
	}
}

// judgeQuiet judges and forgets the things of which nothing was asked for so long.
func (s *site) judgeQuiet(long time.Duration) (events int) {
	s.t.Helper()
	events, found := s.history.JudgeQuiet(time.Now().Add(-long))
	for _, violation := range found {
		s.t.Error(violation)
	}
	return events
}

// judgeSoak compares medians of two quarters.
func judgeSoak(t *testing.T, number int, all []gauges) {
	t.Helper()
	quarter := len(all) / 4
	if quarter == 0 {
		t.Fatal("too short to tell")
	}
	early, late := medians(all[quarter:2*quarter]), medians(all[3*quarter:])
	fmt.Fprintf(table, "| node %d, second quarter %v\n| node %d, last quarter %v\n", number, early, number, late)
	for name, of := range map[string]func(gauges) (value, slack float64){
		"resident memory":  func(g gauges) (float64, float64) { return g.memory, 8 << 20 },
		"goroutines":       func(g gauges) (float64, float64) { return g.goroutines, 20 },
		"file descriptors": func(g gauges) (float64, float64) { return g.files, 20 },
		"Redis keys":       func(g gauges) (float64, float64) { return g.keys, 100 },
	} {
		before, slack := of(early)
		if after, _ := of(late); after > before*1.1+slack {
			t.Errorf("node %d: %s grew from %.0f to %.0f", number, name, before, after)
		}
	}
}

func medians(all []gauges) gauges {
	median := func(of func(gauges) float64) float64 {
		values := make([]float64, len(all))
		for i, g := range all {
			values[i] = of(g)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return gauges{
		memory: median(func(g gauges) float64 { return g.memory }), goroutines: median(func(g gauges) float64 { return g.goroutines }),
		files: median(func(g gauges) float64 { return g.files }), keys: median(func(g gauges) float64 { return g.keys }),
	}
}
