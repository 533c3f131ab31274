package idempotency_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/upstream"
)

func TestStore_TwoNodes(t *testing.T) {
	t.Parallel()
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			nodes, client := twoNodes(t, options(t))
			fresh := func(name string, test func(*testing.T, [2]*idempotency.Store, *platform)) {
				t.Run(name, func(t *testing.T) {
					redistest.Age(t, client, 48*time.Hour)
					test(t, nodes, newPlatform(t))
				})
			}
			fresh("the first answer again", firstAnswerAgain)
			fresh("another request", anotherRequest)
			fresh("other keys", otherKeys)
			fresh("refusals are kept", refusalsAreKept)
			fresh("failures are not", failuresAreNotKept)
			fresh("given back", givenBack)
			fresh("under way", underWay)
			fresh("many at once", manyAtOnce)
			fresh("lost in the middle", lostInTheMiddle)
			fresh("lost at the end", lostAtTheEnd)
			fresh("lost, and another request", lostAndAnother)
			fresh("never arrived", neverArrived)
			fresh("arrives late", arrivesLate)
			fresh("the client left", clientLeft)
			t.Run("a slow first use", func(t *testing.T) { slowFirstUse(t, nodes, client) })
			t.Run("a slow answer", func(t *testing.T) { slowAnswer(t, nodes, client) })
			t.Run("forgotten", func(t *testing.T) { forgotten(t, nodes, client) })
			t.Run("for a day", func(t *testing.T) { forADay(t, nodes, client) })
			t.Run("nobody is named", func(t *testing.T) { nobodyIsNamed(t, nodes, client) })
		})
	}
}

func firstAnswerAgain(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`})
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	answer, replayed, err := nodes[1].Do(t.Context(), aRequest(), p.work())
	if err != nil || !replayed || answer.Status != 200 || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%+v, %v, %v", answer, replayed, err)
	}
	if _, body := p.first(); p.sent() != 1 || body != `{"name":"Lease"}` {
		t.Errorf("%d requests, %q", p.sent(), body)
	}
}

func anotherRequest(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`})
	for what, other := range map[string]func(*idempotency.Request){
		"method":   func(r *idempotency.Request) { r.Method = http.MethodPut },
		"path":     func(r *idempotency.Request) { r.Path = "/packages/1/clone" },
		"contents": func(r *idempotency.Request) { r.Body = strings.NewReader(`{"name":"lease"}`) },
		"nothing":  func(r *idempotency.Request) { r.Body = http.NoBody },
		"more":     func(r *idempotency.Request) { r.Body = strings.NewReader(`{"name":"Lease"} `) },
	} {
		if got := do(t.Context(), nodes[1], with(other), p.work()); got.key != fault.RequestIdempotencyMismatch {
			t.Errorf("another %s: %+v", what, got)
		}
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
}

func otherKeys(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	for i, r := range []func(*idempotency.Request){
		func(*idempotency.Request) {},
		func(r *idempotency.Request) { r.Person = "bob@sandbox" },
		func(r *idempotency.Request) { r.Key = "a-key-2" },
		func(r *idempotency.Request) { r.Person, r.Key = "alice@sandboxa", "-key-1" },
	} {
		expect(t, nodes[i%2], with(r), p, outcome{body: `{"id":"` + string(rune('1'+i)) + `"}`})
	}
}

func refusalsAreKept(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	work := p.work()
	work.Send = func(context.Context, *idempotency.Attempt) (idempotency.Answer, error) {
		return idempotency.Answer{Status: 400, Body: []byte("no name")}, nil // without reading the request
	}
	if got := do(t.Context(), nodes[0], aRequest(), work); got != (outcome{body: "no name"}) {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: "no name", replayed: true})
	corrected := func(r *idempotency.Request) { r.Body = strings.NewReader(`{"name":"Rent"}`) }
	expect(t, nodes[1], with(corrected), p, outcome{key: fault.RequestIdempotencyMismatch})
}

func failuresAreNotKept(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	p.around(func(n int, w http.ResponseWriter) bool {
		if n < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n > 2
	}, nil)
	for range 2 {
		if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key != fault.ServerInternal {
			t.Errorf("%+v", got)
		}
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`})
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
}

// givenBack lets the platform report that it created nothing: another request may then
// use the key.
func givenBack(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	refused := p.work()
	refused.Send = func(ctx context.Context, a *idempotency.Attempt) (idempotency.Answer, error) {
		if _, err := p.send(ctx, a); err == nil {
			t.Error("the platform did not fail")
		}
		a.Responded(&upstream.Error{Status: http.StatusBadRequest})
		return idempotency.Answer{}, errPlatform
	}
	// The answer gets lost first, so that there is a record of the key that is given
	// back.
	p.around(func(int, http.ResponseWriter) bool { return false }, nil)
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	for range 2 {
		if got := do(t.Context(), nodes[1], aRequest(), refused); got.key != fault.ServerInternal {
			t.Errorf("%+v", got)
		}
	}
	p.around(nil, nil)
	another := func(r *idempotency.Request) { r.Body = strings.NewReader(`{"name":"Rent"}`) }
	expect(t, nodes[0], with(another), p, outcome{body: `{"id":"1"}`})
	expect(t, nodes[1], aRequest(), p, outcome{key: fault.RequestIdempotencyMismatch})
}

func underWay(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	p.around(func(int, http.ResponseWriter) bool {
		for _, other := range nodes {
			_, _, err := other.Do(t.Context(), aRequest(), p.work())
			if f := fault.From(err); f.Key != fault.RequestIdempotencyBusy || f.RetrySeconds() < 1 {
				t.Errorf("while the first is under way: %v, retry after %d s", err, f.RetrySeconds())
			}
		}
		return true
	}, nil)
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`})
}

func manyAtOnce(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			got := do(context.Background(), nodes[i%2], aRequest(), p.work())
			if got.key != fault.RequestIdempotencyBusy && got.body != `{"id":"1"}` {
				t.Errorf("%+v", got)
			}
		})
	}
	wg.Wait()
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	if p.count() != 1 {
		t.Errorf("made %d times", p.count())
	}
}

// slowFirstUse lets the lease of a first use expire while it sends, as a long outage of
// Redis does: the next use counts, and the slow one does not.
func slowFirstUse(t *testing.T, nodes [2]*idempotency.Store, client redis.Cmdable) {
	p := newPlatform(t)
	r := func() idempotency.Request { return with(func(r *idempotency.Request) { r.Key = "slow" }) }
	slow, whole, once := r(), r().Body, sync.Once{}
	slow.Body = readerFunc(func(b []byte) (int, error) {
		once.Do(func() {
			redistest.Age(t, client, time.Minute)
			expect(t, nodes[1], r(), p, outcome{body: `{"id":"1"}`})
		})
		return whole.Read(b)
	})
	if got := do(t.Context(), nodes[0], slow, p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[0], r(), p, outcome{body: `{"id":"1"}`, replayed: true})
	if p.count() != 1 {
		t.Errorf("made %d times", p.count())
	}
}

func forADay(t *testing.T, nodes [2]*idempotency.Store, client redis.Cmdable) {
	p := newPlatform(t)
	r := func() idempotency.Request { return with(func(r *idempotency.Request) { r.Key = "for a day" }) }
	expect(t, nodes[0], r(), p, outcome{body: `{"id":"1"}`})
	redistest.Age(t, client, 24*time.Hour-time.Minute)
	expect(t, nodes[0], r(), p, outcome{body: `{"id":"1"}`, replayed: true})
	redistest.Age(t, client, time.Minute)
	expect(t, nodes[0], r(), p, outcome{body: `{"id":"2"}`})
}

func nobodyIsNamed(t *testing.T, nodes [2]*idempotency.Store, client redis.Cmdable) {
	p := newPlatform(t)
	r := with(func(r *idempotency.Request) { r.Key = "my-secret-key" })
	expect(t, nodes[0], r, p, outcome{body: `{"id":"1"}`})
	seen := 0
	redistest.EachKey(t, client, func(ctx context.Context, node redis.Cmdable, key string) {
		value, err := node.Get(ctx, key).Bytes()
		for _, secret := range []string{"alice", "secret", `"id"`, "Digest"} {
			if err != nil || strings.Contains(key, secret) || bytes.Contains(value, []byte(secret)) {
				t.Errorf("%s = %q tells %q, %v", key, value, secret, err)
			}
		}
		seen++
	})
	if mark, _ := p.first(); seen == 0 || strings.Contains(mark, "alice") || strings.Contains(mark, "secret") {
		t.Errorf("%d keys, mark %q", seen, mark)
	}
}
