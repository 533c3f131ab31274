package index_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// event returns a callback's body.
func event(name, id string) []byte {
	return []byte(`{"name":"` + name + `","sessionUser":"x","packageId":"` + id + `","createdDate":"2030-01-01T00:00:00.000Z","new":{"a":1}}`)
}

// denied checks that person gets request.not-found for id.
func denied(t testing.TB, x *index.Index, person access.Person, id string) {
	t.Helper()
	if g, err := x.Grant(t.Context(), person, "session", id); !fault.Is(err, fault.RequestNotFound) {
		t.Errorf("%s and %s: %+v, %v", person.User, id, g, err)
	}
}

func callbackCorrects(t *testing.T, client redis.Cmdable) {
	p, at := startPlatform(t), &clock{}
	x := node(t, client, p, at.by)
	run(t, x)
	built(t, x)
	id := p.create(sent("Loan", "", "eve@corp.test"))
	denied(t, x, bob, id)
	p.send("POST", path(id)+"/roles", sent("", "", bob.Email)["roles"].([]object)[0])
	if err := x.Callback(t.Context(), event("SIGNER_ADDED", id)); err != nil {
		t.Fatal(err)
	}
	if g, err := x.Grant(t.Context(), bob, "session", id); err != nil || g.Access != index.Signer {
		t.Errorf("after the callback: %+v, %v", g, err)
	}
	redistest.Eventually(t, "the package is on the list", func() bool { return names(t, x, bob, index.Query{}) == "Loan" })

	p.send("DELETE", path(id), nil)
	for range 2 { // once more for a package that is gone
		redistest.Eventually(t, "the package is off the list", func() bool {
			at.advance(time.Minute)
			if err := x.Callback(t.Context(), event("PACKAGE_DELETE", id)); err != nil {
				t.Fatal(err)
			}
			return names(t, x, bob, index.Query{}) == ""
		})
	}
	denied(t, x, bob, id)
}

func crashLosesNoCallback(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	x := node(t, client, p)
	stop := run(t, x)
	built(t, x)
	stop()
	id := p.create(sent("Loan", "", bob.Email))
	for _, name := range []string{"PACKAGE_CREATE", "PACKAGE_ACTIVATE", "NEVER_HEARD_OF"} {
		if err := x.Callback(t.Context(), event(name, id)); err != nil {
			t.Fatal(err)
		}
	}
	next := node(t, client, p)
	if got := names(t, next, bob, index.Query{}); got != "" {
		t.Errorf("nobody has worked the callback off, and the list is %q", got)
	}
	p.send("POST", "/_manage/faults", object{"operation": "getPackage", "times": 1, "status": 503})
	run(t, next)
	redistest.Eventually(t, "the callback is worked off", func() bool {
		stats, err := next.Stats(t.Context())
		return err == nil && stats.Waiting == 0 && names(t, next, bob, index.Query{}) == "Loan"
	})
}

func TestCallback_WithoutPackage(t *testing.T) {
	p := startPlatform(t)
	x := node(t, dbtest.Embedded(t).Client, p)
	for _, body := range []string{`{}`, `[]`, `null`, `"x"`, `1`, `{"name":"SENDER_CREATE"}`, `{"packageId":null}`, `{"packageId":7}`, `{"packageId":""}`, ` {"packageId":{}} `, `{"packageId":"."}`, `{"packageId":".."}`} {
		if err := x.Callback(t.Context(), []byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{``, `{`, `{"packageId":"a"`, `{"packageId":"a"}}`, `x`, `{'packageId':'a'}`} {
		if err := x.Callback(t.Context(), []byte(body)); !fault.Is(err, fault.RequestMalformed) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if stats, err := x.Stats(t.Context()); err != nil || stats.Waiting != 0 {
		t.Errorf("%+v, %v wait", stats, err)
	}
	if calls := p.calls(); len(calls) != 0 {
		t.Errorf("the platform was asked %v", calls)
	}
}

// stuck is a platform whose listings are not answered until released is closed, once
// reached is made.
type stuck struct {
	*lying
	reached, released chan struct{}
}

func (s *stuck) Packages(ctx context.Context, q signing.Query) iter.Seq2[jsontext.Value, error] {
	if s.reached != nil {
		select {
		case s.reached <- struct{}{}:
		default:
		}
		<-s.released
	}
	return s.lying.Packages(ctx, q)
}

// A sweep that takes long keeps no callback waiting.
func TestCallback_DuringSweep(t *testing.T) {
	t.Parallel()
	p := &stuck{lying: &lying{packages: map[string]string{"p": of("p", "")}}}
	x := node(t, dbtest.Embedded(t).Client, p, func(o *index.Options) { o.Sweep = 1 })
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.reached, p.released = make(chan struct{}, 1), make(chan struct{})
	run(t, x)
	t.Cleanup(func() { close(p.released) })
	<-p.reached
	p.say("q", of("q", ""))
	if err := x.Callback(t.Context(), event("PACKAGE_CREATE", "q")); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the callback is worked off", func() bool {
		return strings.Contains(names(t, x, alice, index.Query{}), "Loan q")
	})
}
