package audit_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal/sealtest"
)

// An operator sees the last 50 events of a person, what operators did to them included, in
// 8 KiB; what operators read is not among them.
func TestLast_FiftyEvents(t *testing.T) {
	client := dbtest.Embedded(t).Client
	trail := audit.New(audit.Options{
		Redis: client, Keys: sealtest.Keys(append(bytes.Repeat([]byte{1}, 31), 2)), Observe: func(audit.Event) {}, Lost: func() {},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	for i := range 60 {
		brought(t, trail, audit.Event{Kind: audit.SteppedUp, Person: alice, Method: fmt.Sprint(i)})
	}
	brought(t, trail,
		audit.Event{Kind: audit.OperatorRead, Person: bob, OnBehalfOf: alice},
		audit.Event{Kind: audit.OperatorEnded, Person: bob, OnBehalfOf: alice, Reason: "a stolen phone"})
	last := func() []audit.Event {
		all, err := trail.Last(t.Context(), alice)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := last()
	if len(all) != 50 || all[0].Kind != audit.OperatorEnded || all[0].Person != bob || all[0].OnBehalfOf != alice || all[0].Reason != "a stolen phone" {
		t.Errorf("%d events, the last is %+v", len(all), all[0])
	}
	if own, err := trail.Recent(t.Context(), alice); err != nil || len(own) != 20 {
		t.Errorf("the person sees %d, %v", len(own), err)
	}
	if operators, err := trail.Last(t.Context(), bob); err != nil || len(operators) != 0 {
		t.Errorf("the operator's own are %+v, %v", operators, err)
	}
	for range 20 {
		brought(t, trail, audit.Event{Kind: audit.OperatorEnded, Person: bob, OnBehalfOf: alice, Reason: strings.Repeat("r", 1000)})
	}
	size := 0
	for _, key := range client.Keys(t.Context(), "cs:a:*:done").Val() {
		for _, value := range client.LRange(t.Context(), key, 0, -1).Val() {
			size += len(value)
		}
	}
	if size > 8<<10 || size < 6<<10 || len(last()) < 5 {
		t.Errorf("%d events are kept in %d bytes", len(last()), size)
	}
}
