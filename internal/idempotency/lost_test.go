package idempotency_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb/redistest"
)

// lostInTheMiddle has the platform's answer break off.
func lostInTheMiddle(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	p.around(nil, func(_ int, w http.ResponseWriter) bool {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"i`))
		return false
	})
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	expect(t, nodes[0], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	if p.sent() != 1 {
		t.Errorf("sent %d times", p.sent())
	}
}

// lostAtTheEnd has the connection end where the answer should begin.
func lostAtTheEnd(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	p.around(nil, func(int, http.ResponseWriter) bool { return false })
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	if p.sent() != 1 {
		t.Errorf("sent %d times", p.sent())
	}
}

// lostAndAnother judges the next request although nobody heard the answer, whether
// something was made or not.
func lostAndAnother(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	another := func(r *idempotency.Request) { r.Body = strings.NewReader(`{"name":"Rent"}`) }
	p.around(func(n int, _ http.ResponseWriter) bool { return n > 1 },
		func(n int, _ http.ResponseWriter) bool { return n > 2 })
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" || p.count() != 0 {
		t.Errorf("%+v, %d made", got, p.count())
	}
	expect(t, nodes[1], with(another), p, outcome{key: fault.RequestIdempotencyMismatch})
	if p.count() != 0 {
		t.Fatalf("%d made of another request", p.count())
	}
	p.around(nil, func(int, http.ResponseWriter) bool { return false })
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" || p.count() != 1 {
		t.Errorf("%+v, %d made", got, p.count())
	}
	expect(t, nodes[1], with(another), p, outcome{key: fault.RequestIdempotencyMismatch})
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	if p.count() != 1 {
		t.Errorf("made %d times", p.count())
	}
}

// neverArrived has the platform hang up before it made anything: it is sent again.
func neverArrived(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	p.around(func(n int, _ http.ResponseWriter) bool { return n > 1 }, nil)
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`})
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
}

// arrivesLate has the platform make the thing after we gave up, when the key's next
// use has looked for it already: it looks again before it sends.
func arrivesLate(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	ctx, giveUp := context.WithCancel(t.Context())
	looked, late := make(chan struct{}), make(chan struct{})
	p.around(func(int, http.ResponseWriter) bool {
		giveUp()
		<-looked
		return true
	}, func(int, http.ResponseWriter) bool { close(late); return true })
	if got := do(ctx, nodes[0], aRequest(), p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	work := p.work()
	work.Find = firstFinding(p, func() { close(looked); <-late })
	if got := do(t.Context(), nodes[1], aRequest(), work); got != (outcome{body: `{"id":"1"}`, replayed: true}) {
		t.Errorf("%+v", got)
	}
	if p.sent() != 1 {
		t.Errorf("sent %d times", p.sent())
	}
}

// slowAnswer has the lease run out while the platform has made the thing and not said
// so: the next use finds it, and the first one's answer changes nothing.
func slowAnswer(t *testing.T, nodes [2]*idempotency.Store, client redis.UniversalClient) {
	p := newPlatform(t)
	r := func() idempotency.Request { return with(func(r *idempotency.Request) { r.Key = "slow answer" }) }
	p.around(nil, func(int, http.ResponseWriter) bool {
		redistest.Age(t, client, time.Minute)
		expect(t, nodes[1], r(), p, outcome{body: `{"id":"1"}`, replayed: true})
		return true
	})
	if got := do(t.Context(), nodes[0], r(), p.work()); got.key == "" && got.body != `{"id":"1"}` {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[0], r(), p, outcome{body: `{"id":"1"}`, replayed: true})
	if p.sent() != 1 {
		t.Errorf("sent %d times", p.sent())
	}
}

// clientLeft has the client leave in the middle of its body: nothing is made, and
// nothing is remembered.
func clientLeft(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	r := with(func(r *idempotency.Request) {
		r.Body = readerFunc(func(b []byte) (int, error) { return copy(b, `{"name":"Le`), http.ErrAbortHandler })
	})
	if got := do(t.Context(), nodes[0], r, p.work()); got.key == "" || p.count() != 0 {
		t.Errorf("%+v, %d made", got, p.count())
	}
	another := func(r *idempotency.Request) { r.Body = strings.NewReader(`{"name":"Rent"}`) }
	expect(t, nodes[1], with(another), p, outcome{body: `{"id":"1"}`})
}
