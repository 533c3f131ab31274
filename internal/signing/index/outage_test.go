package index_test

import (
	"fmt"
	"testing"
	"time"

	"countersign/internal/access"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// TestIndex_RedisBreaksAtEachCommand takes Redis away at each command of each call, with the
// command carried out or not: the call reports an outage, and works once Redis is back.
func TestIndex_RedisBreaksAtEachCommand(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	line := e2etest.NewRedisLine(t, server.Addr)
	line.CountsIndex = true
	client := dbtest.Open(t, redisdb.Options{URL: "redis://" + line.Addr().String(), Timeout: 10 * time.Second}).Client
	p := startPlatform(t)
	plain := node(t, server.Client(), p)
	stop := run(t, plain)
	built(t, plain)
	stop()
	eve := access.Person{User: "eve@sandbox", Email: "eve@corp.test"}
	for what, act := range map[string]func(x *index.Index, id string) error{
		"grant": func(x *index.Index, id string) error {
			_, err := x.Grant(t.Context(), alice, "session", id)
			return err
		},
		"look up": func(x *index.Index, id string) error {
			_, err := x.Grant(t.Context(), eve, "session "+id, id)
			if fault.Is(err, fault.RequestNotFound) {
				err = nil
			}
			return err
		},
		"list": func(x *index.Index, _ string) error {
			_, err := x.List(t.Context(), alice, index.Query{From: 1, To: 10})
			return err
		},
		"search": func(x *index.Index, _ string) error {
			_, err := x.List(t.Context(), alice, index.Query{From: 1, To: 10, Search: "loan"})
			return err
		},
		"refresh":  func(x *index.Index, id string) error { return x.Refresh(t.Context(), id) },
		"gone":     func(x *index.Index, id string) error { _, err := x.NoteChange(t.Context(), id, true); return err },
		"callback": func(x *index.Index, id string) error { return x.Callback(t.Context(), event("X", id)) },
	} {
		for _, how := range []e2etest.Breakage{{}, {Arrives: true}} {
			t.Run(fmt.Sprintf("%s, %+v", what, how), func(t *testing.T) {
				for passed := range 40 {
					id := p.create(sent("Loan", alice.User, bob.Email))
					if err := plain.Refresh(t.Context(), id); err != nil {
						t.Fatal(err)
					}
					x := node(t, client, p)
					line.BreakAfter(passed, how)
					err := act(x, id)
					broken := line.Mend()
					if broken && err != nil && !fault.Is(err, fault.ServerUnavailable) {
						t.Errorf("after %d commands: %v", passed, err)
					}
					if err == nil && !broken {
						if passed == 0 {
							t.Error("nothing broke")
						}
						return
					}
					redistest.Eventually(t, "it is done when Redis is back", func() bool { return act(x, id) == nil })
				}
				t.Error("it is never through")
			})
		}
	}
}

// TestLookUp_PlatformFails has the platform fail during a look-up: the person is told so,
// whosever package it is, and nothing is remembered.
func TestLookUp_PlatformFails(t *testing.T) {
	p := startPlatform(t)
	x := node(t, dbtest.Embedded(t).Client, p)
	id := p.create(sent("Loan", alice.User, "eve@corp.test"))
	if err := x.Refresh(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []string{id, "unknown"} {
		p.send("POST", "/_manage/faults", object{"operation": "getPackage", "times": 3, "status": 500})
		for range 3 {
			if _, err := x.Grant(t.Context(), bob, "session", asked); !fault.Is(err, fault.PlatformFailed) {
				t.Errorf("%s: %v", asked, err)
			}
		}
	}
	p.send("POST", "/_manage/faults", object{"operation": "getPackage", "times": 1, "status": 500})
	if g, err := x.Grant(t.Context(), alice, "session", id); err != nil || g.Access != index.Owner {
		t.Errorf("the owner, while the platform is away: %+v, %v", g, err)
	}
	if err := x.Refresh(t.Context(), id); err == nil {
		t.Error("a refresh without the platform succeeds")
	}
}
