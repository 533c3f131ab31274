package index_test

import (
	"strconv"
	"testing"
	"time"

	"countersign/internal/access/accesstest"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// A callback that comes while Redis is away, or says nothing, is taken, and stored once
// Redis is back: the platform sends none twice.
func TestTake_WithoutRedis(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	line := e2etest.NewRedisLine(t, server.Addr)
	line.CountsIndex = true
	client := dbtest.Open(t, redisdb.Options{URL: "redis://" + line.Addr().String(), Timeout: 100 * time.Millisecond}).Client
	p := startPlatform(t)
	plain := node(t, server.Client(), p)
	stop := run(t, plain)
	built(t, plain)
	stop()
	for _, how := range []e2etest.Breakage{{}, {Silent: true}} {
		x := node(t, client, p)
		name := "Loan " + strconv.FormatBool(how.Silent)
		id := p.create(sent(name, "", strconv.FormatBool(how.Silent)+"@corp.test"))
		eve := accesstest.Bob()
		eve.Email = strconv.FormatBool(how.Silent) + "@corp.test"
		line.BreakAfter(0, how)
		for range 3 {
			if err := x.Take(t.Context(), event("PACKAGE_CREATE", id)); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Take(t.Context(), []byte(`{`)); !fault.Is(err, fault.RequestMalformed) {
			t.Errorf("what is no JSON: %v", err)
		}
		if n := x.LateCount(); n != 1 {
			t.Errorf("%d packages wait", n)
		}
		line.Mend()
		stop := run(t, x)
		redistest.Eventually(t, "the callback is worked off", func() bool {
			stats, err := x.Stats(t.Context())
			return err == nil && stats.Waiting == 0 && names(t, x, eve, index.Query{}) == name
		})
		stop()
	}
}

// So many packages wait in memory; that one more does not is told once.
func TestTake_Room(t *testing.T) {
	x := node(t, dbtest.Embedded(t).Client, startPlatform(t))
	for i := range 10_000 {
		if !x.AddLate(strconv.Itoa(i)) {
			t.Fatalf("there is no room for %d", i)
		}
	}
	for i, want := range []bool{false, true, true} {
		if got := x.AddLate("more"); got != want {
			t.Errorf("the %d. without room: %v", i, got)
		}
	}
	if !x.AddLate("1") || x.LateCount() != 10_000 {
		t.Errorf("%d wait", x.LateCount())
	}
}
