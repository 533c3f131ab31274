package idempotency_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal/sealtest"
)

// TestRedis_BreaksAtEachCommand breaks Redis before each command of a first use in turn,
// and after it: the client gets 503 or the answer, and however often the key is used
// afterwards, one object is created.
func TestRedis_BreaksAtEachCommand(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	direct := server.Client()
	for name, how := range map[string]e2etest.Breakage{
		"refused":      {},
		"silent":       {Silent: true},
		"answers lost": {Arrives: true},
		"silent after": {Arrives: true, Silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			line := e2etest.NewRedisLine(t, server.Addr)
			s := node(dbtest.Open(t, redisdb.Options{URL: line.URL()}).Client, sealtest.Keys(aKey(1)))
			redisForgets(t, s, newPlatform(t)) // has every script there
			commands := 0
			for broke := true; broke; commands++ {
				redistest.Age(t, direct, 48*time.Hour)
				p := newPlatform(t)
				line.BreakAfter(commands, how)
				got := do(t.Context(), s, aRequest(), p.work())
				if broke = line.Mend(); got.key != fault.ServerUnavailable && got != (outcome{body: `{"id":"1"}`}) {
					t.Errorf("broken at command %d: %+v", commands, got)
				}
				redistest.Age(t, direct, 10*time.Second)
				eventually(t, s, aRequest, p, outcome{body: `{"id":"1"}`, replayed: got.key == "" || p.count() > 0})
				expect(t, s, aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
				if p.count() != 1 {
					t.Errorf("broken at command %d: made %d times", commands, p.count())
				}
			}
			if commands < 5 {
				t.Errorf("only %d commands were tried", commands)
			}
		})
	}
}

// redisForgets uses a key and lets Redis forget it.
func redisForgets(t *testing.T, s *idempotency.Store, p *platform) {
	t.Helper()
	expect(t, s, with(func(r *idempotency.Request) { r.Key = "warm" }), p, outcome{body: `{"id":"1"}`})
}

// TestRedis_EndsDuringCall ends Redis while the platform creates the object, and while the
// platform has only part of the request.
func TestRedis_EndsDuringCall(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := node(dbtest.Open(t, redisdb.Options{URL: server.URL()}).Client, sealtest.Keys(aKey(1)))

	t.Run("made", func(t *testing.T) {
		p := newPlatform(t)
		p.around(nil, func(int, http.ResponseWriter) bool { server.Kill(); return true })
		expect(t, s, aRequest(), p, outcome{key: fault.ServerUnavailable})
		server.Restart()
		redistest.Age(t, server.Client(), 10*time.Second)
		eventually(t, s, aRequest, p, outcome{body: `{"id":"1"}`, replayed: true})
		if p.sent() != 1 {
			t.Errorf("sent %d times", p.sent())
		}
	})
	t.Run("not whole", func(t *testing.T) {
		redistest.Age(t, server.Client(), 48*time.Hour)
		p := newPlatform(t)
		whole := aRequest().Body
		r := with(func(r *idempotency.Request) {
			r.Body = readerFunc(func(b []byte) (int, error) { server.Kill(); return whole.Read(b) })
		})
		expect(t, s, r, p, outcome{key: fault.ServerUnavailable})
		if p.count() != 0 {
			t.Error("made without a record")
		}
		server.Restart()
		redistest.Age(t, server.Client(), 10*time.Second)
		eventually(t, s, aRequest, p, outcome{body: `{"id":"1"}`})
	})
}
