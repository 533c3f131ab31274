package redisdb_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// prompt limits an answer's time whatever Redis does: our time-out is 0.8 s, go-redis's
// own 3 s for each try. The margin is for a busy machine.
const prompt = 2500 * time.Millisecond

// running are the kinds of a separate Redis, each with the servers that answer commands.
var running = map[string]func(*testing.T) (redisdb.Options, []*redistest.Server){
	"single": func(t *testing.T) (redisdb.Options, []*redistest.Server) {
		server := redistest.Start(t)
		return redisdb.Options{URL: server.URL()}, []*redistest.Server{server}
	},
	"sentinel": func(t *testing.T) (redisdb.Options, []*redistest.Server) {
		sentinel := redistest.StartSentinel(t)
		return redisdb.Options{URL: sentinel.URL(), Mode: redisdb.ModeSentinel}, []*redistest.Server{sentinel.Master}
	},
	"cluster": func(t *testing.T) (redisdb.Options, []*redistest.Server) {
		cluster := redistest.StartCluster(t)
		return redisdb.Options{URL: cluster.URL(), Mode: redisdb.ModeCluster}, cluster.Nodes
	},
}

// TestOutage_EveryKindOfCommand breaks Redis in each possible way, in each mode, and sends every kind of
// command: the error comes promptly, and Redis is used again once it is back.
func TestOutage_EveryKindOfCommand(t *testing.T) {
	t.Parallel()
	for name, start := range running {
		t.Run(name, func(t *testing.T) {
			options, servers := start(t)
			db := hasty(t, options)
			defer db.Close()
			warmUp(t, db)
			if name != "sentinel" { // there a stalled master is failed over, which another test covers
				each(servers, (*redistest.Server).Stall)
				expectErrors(t, db, "stalled")
				each(servers, (*redistest.Server).Resume)
				expectRecovery(t, db)
			}
			each(servers, (*redistest.Server).Kill)
			expectErrors(t, db, "killed")
			each(servers, (*redistest.Server).Restart)
			expectRecovery(t, db)
		})
	}
}

// TestOutage_AtStart starts the client while Redis is away.
func TestOutage_AtStart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Kill()
	db := hasty(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	expectErrors(t, db, "never there")
	server.Restart()
	expectRecovery(t, db)
}

// expectErrors sends commands concurrently, since a pool whose connections all wait
// answers more slowly than one connection.
func expectErrors(t *testing.T, db *redisdb.DB, how string) {
	t.Helper()
	commands := asks(db, "key")
	commands["health"] = db.Readable
	var wg sync.WaitGroup
	defer wg.Wait()
	watch := redistest.NewStopwatch(t)
	for range 20 {
		for what, ask := range commands {
			wg.Go(func() {
				took, err := watch.Time(func() error { return ask(context.Background()) })
				if err == nil {
					t.Errorf("%s, %s: no error", how, what)
				}
				if took > prompt {
					t.Errorf("%s, %s: the error took %v", how, what, took)
				}
			})
		}
	}
}

func expectRecovery(t *testing.T, db *redisdb.DB) {
	t.Helper()
	redistest.Eventually(t, "Redis is used again", func() bool {
		return db.Client.Set(context.Background(), "key", "value", 0).Err() == nil && db.Client.Get(context.Background(), "key").Val() == "value"
	})
}

// warmUp fills the pool with connections, which an outage then breaks.
func warmUp(t *testing.T, db *redisdb.DB) {
	t.Helper()
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			redistest.Eventually(t, "the pool has a connection", func() bool {
				return db.Client.Set(context.Background(), "key", "value", 0).Err() == nil
			})
		})
	}
	wg.Wait()
}

func each(servers []*redistest.Server, do func(*redistest.Server)) {
	for _, server := range servers {
		do(server)
	}
}

// A request of many commands waits no longer for a silent Redis than a request of one:
// 0.8 s, and not sixteen times that.
func TestCommands_ShareTimeout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := hasty(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	warmUp(t, db)
	ctx := context.WithValue(t.Context(), redisdb.BudgetKey{}, new(redisdb.Budget))
	get := func() error { return db.Client.Get(ctx, "key").Err() }

	server.Stall()
	begin := time.Now()
	for range 16 {
		if get() == nil {
			t.Fatal("a stalled Redis answers")
		}
	}
	if took := time.Since(begin); took > 6*time.Second {
		t.Errorf("sixteen commands waited %v", took)
	}
	server.Resume()
	redistest.Eventually(t, "Redis is used again", func() bool { return get() == nil })

	server.Stall()
	defer server.Resume()
	begin = time.Now()
	if err := db.Client.Get(context.WithoutCancel(ctx), "key").Err(); err == nil {
		t.Fatal("a stalled Redis answers")
	}
	if took := time.Since(begin); took < 200*time.Millisecond {
		t.Errorf("after an answer, a command waits %v only", took)
	}
}
