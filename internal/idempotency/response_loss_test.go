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

// lostInTheMiddle breaks the platform's answer off.
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

// lostAtTheEnd closes the connection where the answer should begin.
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

// lostAndAnother checks that another request with the key is refused after an answer got
// lost, whether something was created or not.
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

// neverArrived closes the connection before the platform created anything: the request is
// sent again.
func neverArrived(t *testing.T, nodes [2]*idempotency.Store, p *platform) {
	p.around(func(n int, _ http.ResponseWriter) bool { return n > 1 }, nil)
	if got := do(t.Context(), nodes[0], aRequest(), p.work()); got.key == "" {
		t.Errorf("%+v", got)
	}
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`})
	expect(t, nodes[1], aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
}

// arrivesLate lets the platform create the object after we gave up, when the key's next
// use has already looked for it: that use looks again before it sends.
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

// slowAnswer lets the lease expire after the platform created the object and before it
// answers: the next use finds the object, and the first one's answer changes nothing.
func slowAnswer(t *testing.T, nodes [2]*idempotency.Store, client redis.Cmdable) {
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

// forgotten lets Redis forget the record and the lease once the platform has created the
// object, as a failover may: whether the platform answers or not, what is known of the
// object is written again, and the next use finds it.
func forgotten(t *testing.T, nodes [2]*idempotency.Store, client redis.Cmdable) {
	for key, answers := range map[string]bool{"forgotten": true, "forgotten, no answer": false} {
		p := newPlatform(t)
		r := func() idempotency.Request { return with(func(r *idempotency.Request) { r.Key = key }) }
		p.around(nil, func(int, http.ResponseWriter) bool {
			redistest.Age(t, client, 48*time.Hour)
			return answers
		})
		if got := do(t.Context(), nodes[0], r(), p.work()); (got == outcome{body: `{"id":"1"}`}) != answers {
			t.Errorf("%s: %+v", key, got)
		}
		expect(t, nodes[1], r(), p, outcome{body: `{"id":"1"}`, replayed: true})
		if p.count() != 1 {
			t.Errorf("%s: made %d times", key, p.count())
		}
	}
}

// clientLeft ends the client's body in the middle: nothing is created, and nothing is
// remembered.
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
