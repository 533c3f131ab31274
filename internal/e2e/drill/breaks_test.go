package drill_test

import (
	"fmt"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// drill breaks one thing, and mends it.
type drill struct {
	name  string
	short bool // part of the short form, too
	// calm marks an operator's deliberate action, during which every request is answered.
	calm bool
	// flawless marks that no request fails.
	flawless bool
	// failover marks that a replica takes over, which may forget the last writes.
	failover bool
	run      func(*site)
}

// pass lets time pass in which people go on.
func pass(d time.Duration) { <-time.After(d) }

// stayBroken waits while the thing stays broken.
func (s *site) stayBroken() { pass(s.scale.broken) }

// nodes are drills of the nodes themselves.
var nodes = []drill{
	{name: "rolling update", short: true, calm: true, run: update},
	{name: "rolling update, a second time", calm: true, run: update},
	{name: "rolling update, a third time", calm: true, run: update},
	{name: "SIGKILL of a node", short: true, run: func(s *site) {
		s.kill(s.nodes[1])
		s.disable()
		s.stayBroken()
		s.start(1)
		s.ready()
	}},
}

// update replaces the process of each node, one after the other.
func update(s *site) {
	for number := range s.nodes {
		s.end(number)
		s.start(number)
		s.ready()
	}
}

// ofServer are drills of a single Redis, and of the platform.
var ofServer = []drill{
	{name: "SIGKILL of Redis, which starts again", run: func(s *site) {
		s.store.server.Kill()
		s.stayBroken()
		s.store.server.Restart()
		s.ready()
	}},
	{name: "SIGSTOP of Redis", short: true, run: func(s *site) {
		s.store.server.Stall()
		s.stayBroken()
		s.store.server.Resume()
		s.ready()
	}},
	{name: "Redis is full (`OOM`)", run: configured("config", "set", "maxmemory", "1").until("config", "set", "maxmemory", "0")},
	{name: "Redis is a replica (`READONLY`)", run: configured("replicaof", "127.0.0.1", "1").until("replicaof", "no", "one")},
	{name: "partition between a node and Redis, silent", run: cut(e2etest.Breakage{Silent: true})},
	{name: "partition between a node and Redis, refused", run: cut(e2etest.Breakage{})},
	{name: "the platform stalls (30 s for each answer)", run: platform(`"delay":"30s"`)},
	{name: "the platform fails (500)", short: true, run: platform(`"status":500`)},
	{name: "the platform is overloaded (503)", run: platform(`"status":503`)},
	{name: "the platform is half open (it takes connections and is silent)", run: func(s *site) {
		s.signal(s.platform, redistest.StallSignal)
		s.stayBroken()
		s.signal(s.platform, redistest.ResumeSignal)
	}},
	{name: "the platform's clock jumps by a minute", run: func(s *site) {
		s.manage("POST", "clock", `{"advance":"60s"}`)
		s.stayBroken()
	}},
}

// ofSentinel are drills of three Sentinels with a master and two replicas.
var ofSentinel = []drill{
	{name: "SIGKILL of the master", failover: true, run: func(s *site) {
		old := s.store.sentinel.Master
		old.Kill()
		s.disable()
		s.store.sentinel.FailedOver(s.t)
		s.followed()
		s.stayBroken()
		old.Restart()
		s.store.sentinel.Settled(s.t)
		s.ready()
	}},
	{name: "SIGSTOP of the master", failover: true, run: func(s *site) {
		old := s.store.sentinel.Master
		old.Stall()
		s.store.sentinel.FailedOver(s.t)
		s.followed()
		s.stayBroken()
		old.Resume()
		s.store.sentinel.Settled(s.t) // a replica that is not in step would be promoted, too
		s.ready()
	}},
	{name: "switch-over (`SENTINEL FAILOVER`), an account disabled meanwhile", failover: true, run: func(s *site) { s.disableDuring(func() { switchOver(s) }) }},
	{name: "a second switch-over", failover: true, run: switchOver},
	{name: "a third switch-over", failover: true, run: switchOver},
	{name: "switch-over, writes paused before", failover: true, run: func(s *site) {
		do(s, s.store.sentinel.Master, []any{"client", "pause", "5000", "write"})
		s.store.sentinel.Failover(s.t)
		s.followed()
		s.stayBroken()
		s.ready()
	}},
}

// followed notes that a replica has taken over: every node follows within a second.
func (s *site) followed() { s.known = time.Now().Add(time.Second) }

// switchOver makes the Sentinels promote a replica while people go on writing.
func switchOver(s *site) {
	s.store.sentinel.Failover(s.t)
	s.followed()
	s.stayBroken()
	s.store.sentinel.Settled(s.t)
	s.ready()
}

// ofCluster are drills of a cluster of three masters, each with a replica.
var ofCluster = []drill{
	{name: "SIGKILL of a master", failover: true, run: func(s *site) {
		old := s.store.cluster.Nodes[1]
		old.Kill()
		s.disable()
		s.store.cluster.FailedOver(s.t, 1)
		s.followed()
		s.stayBroken()
		old.Restart()
		s.ready()
	}},
	{name: "SIGSTOP of a master", failover: true, run: func(s *site) {
		old := s.store.cluster.Nodes[2]
		old.Stall()
		s.store.cluster.FailedOver(s.t, 2)
		s.followed()
		s.stayBroken()
		old.Resume()
		s.store.cluster.Settled(s.t)
		s.ready()
	}},
	{name: "switch-over (`CLUSTER FAILOVER`), an account disabled meanwhile", failover: true, run: func(s *site) {
		s.disableDuring(func() {
			do(s, s.store.cluster.Replicas[0], []any{"cluster", "failover"})
			s.store.cluster.FailedOver(s.t, 0)
			s.followed()
			s.stayBroken()
			s.ready()
		})
	}},
	{name: "a slot moves, its keys one by one", calm: true, run: func(s *site) {
		for number := range 200 {
			s.store.cluster.MoveSlot(s.t, fmt.Sprintf("slot of %d", number))
		}
	}},
}

// command is a command that breaks Redis.
type command []any

func configured(words ...any) command { return words }

// until returns the drill that breaks Redis by c, and mends it by words.
func (c command) until(words ...any) func(*site) {
	return func(s *site) {
		do(s, s.store.server, c)
		s.stayBroken()
		do(s, s.store.server, words)
		s.ready()
	}
}

func do(s *site, server *redistest.Server, words []any) {
	s.t.Helper()
	if err := server.Client().Do(s.t.Context(), words...).Err(); err != nil {
		s.t.Fatal(err)
	}
}

// cut returns a drill in which the first node loses its Redis.
func cut(how e2etest.Breakage) func(*site) {
	return func(s *site) {
		s.store.line.BreakAfter(0, how)
		s.stayBroken()
		s.store.line.Mend()
		s.ready()
	}
}

// platform returns a drill that breaks every call that people's work needs.
func platform(how string) func(*site) {
	return func(s *site) {
		for _, operation := range []string{
			"login", "getUser", "generateFidoRegistrationRequest", "registerFidoDevice", "listFidoRegistrations",
			"generateFidoAuthenticationRequest", "sessionStatus", "createPackage", "listPackages", "deletePackage",
		} {
			s.manage("POST", "faults", fmt.Sprintf(`{"operation":%q,"times":0,%s}`, operation, how))
		}
		s.stayBroken()
		s.manage("DELETE", "faults", "")
	}
}
