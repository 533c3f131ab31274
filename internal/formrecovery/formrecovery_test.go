package formrecovery_test

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/formrecovery"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
)

const lifetime = 12 * time.Hour

// fixture is a Store with a clock that the test moves.
type fixture struct {
	*formrecovery.Store
	now time.Time
	db  *redisdb.DB
}

func newFixture(t *testing.T, o redisdb.Options, key byte) *fixture {
	t.Helper()
	h := &fixture{now: time.Now(), db: dbtest.Open(t, o)}
	h.Store = h.store(t, key)
	return h
}

func (h *fixture) store(t *testing.T, key byte) *formrecovery.Store {
	t.Helper()
	keys := sealtest.Keys(append(bytes.Repeat([]byte{key}, seal.KeyLength-1), 0))
	return formrecovery.New(formrecovery.Options{Redis: h.db.Client, Keys: keys, Lifetime: lifetime, Now: func() time.Time { return h.now }})
}

func (h *fixture) keep(t *testing.T, ticket, text string) string {
	t.Helper()
	mark, err := h.Keep(t.Context(), ticket, map[string]string{"form": text})
	if err != nil {
		t.Fatal(err)
	}
	return mark
}

func (h *fixture) has(t *testing.T, person, mark, text string) bool {
	t.Helper()
	typed, err := h.Find(t.Context(), person, mark)
	if err != nil {
		t.Fatal(err)
	}
	return typed["form"] == text && typed != nil
}

func TestForms(t *testing.T) {
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, options(t), 'a')
			t.Run("their person's alone", func(t *testing.T) { theirs(t, h) })
			t.Run("twenty", func(t *testing.T) { twenty(t, h) })
			t.Run("twenty at once", func(t *testing.T) { atOnce(t, h) })
			t.Run("ended", func(t *testing.T) { ended(t, h) })
		})
	}
}

func theirs(t *testing.T, h *fixture) {
	mark := h.keep(t, h.Ticket("alice and bob@sandbox"), "a mill")
	if !h.has(t, "alice and bob@sandbox", mark, "a mill") {
		t.Error("it is not there")
	}
	for _, other := range []string{"alice@sandbox", "", "ALICE and bob@sandbox"} {
		if h.has(t, other, mark, "a mill") {
			t.Errorf("%q finds it", other)
		}
	}
	if again := h.keep(t, h.Ticket("alice and bob@sandbox"), "a mill"); again != mark {
		t.Errorf("the same form is %s and %s", mark, again)
	}
	if mark := h.keep(t, h.Ticket("alice@sandbox"), strings.Repeat("x", 48<<10)); mark != "" {
		t.Error("too long a form was kept")
	}
	for _, mark := range []string{"", mark[1:], strings.Repeat("0", len(mark)), strings.ToUpper(mark)} {
		if typed, err := h.Find(t.Context(), "alice and bob@sandbox", mark); typed != nil || err != nil {
			t.Errorf("%q: %v, %v", mark, typed, err)
		}
	}
}

func twenty(t *testing.T, h *fixture) {
	ticket := h.Ticket("many@sandbox")
	var marks []string
	for i := range 25 {
		h.now = h.now.Add(time.Second)
		marks = append(marks, h.keep(t, ticket, strconv.Itoa(i)))
	}
	for i, mark := range marks {
		if got, want := h.has(t, "many@sandbox", mark, strconv.Itoa(i)), i >= 5; got != want {
			t.Errorf("%d is there: %v", i, got)
		}
	}
}

func atOnce(t *testing.T, h *fixture) {
	ticket := h.Ticket("crowd@sandbox")
	marks := make([]string, 50)
	var all sync.WaitGroup
	for i := range marks {
		all.Go(func() {
			marks[i], _ = h.Keep(context.Background(), ticket, map[string]string{"form": strconv.Itoa(i)})
		})
	}
	all.Wait()
	kept := 0
	for i, mark := range marks {
		if h.has(t, "crowd@sandbox", mark, strconv.Itoa(i)) {
			kept++
		}
	}
	if kept != 20 {
		t.Errorf("%d of 50 are kept", kept)
	}
}

func ended(t *testing.T, h *fixture) {
	before := h.Ticket("ended@sandbox")
	mark := h.keep(t, before, "theirs")
	if err := h.End(t.Context(), "ended@sandbox"); err != nil {
		t.Fatal(err)
	}
	if h.has(t, "ended@sandbox", mark, "theirs") || h.keep(t, before, "a thief's") != "" {
		t.Error("a form outlives the end")
	}
	h.now = h.now.Add(time.Second)
	if mark := h.keep(t, h.Ticket("ended@sandbox"), "new"); !h.has(t, "ended@sandbox", mark, "new") {
		t.Error("nothing is kept after the end")
	}
}

// A ticket is valid unchanged, under its key, and for as long as a session may last.
func TestTickets_ValidUnchanged(t *testing.T) {
	h := newFixture(t, redisdb.Options{Embedded: true, Now: time.Now}, 'a')
	ticket, shown := h.Ticket("alice@sandbox"), h.now
	for name, one := range map[string]struct {
		ticket string
		later  time.Duration
		kept   bool
	}{
		"at once":            {ticket, 0, true},
		"in its last second": {ticket, lifetime - time.Second, true},
		"after a session":    {ticket, lifetime, false},
		"none":               {"", 0, false},
		"its half":           {ticket[:len(ticket)/2], 0, false},
		"padded":             {ticket + "=", 0, false},
		"twice":              {ticket + ticket, 0, false},
		"another key's":      {h.store(t, 'b').Ticket("alice@sandbox"), 0, false},
	} {
		h.now = shown.Add(one.later)
		if mark := h.keep(t, one.ticket, name); (mark != "") != one.kept {
			t.Errorf("%s: %q", name, mark)
		}
	}
	h.now = shown
	for i := range ticket {
		other := "A"
		if ticket[i] == 'A' {
			other = "B"
		}
		if h.keep(t, ticket[:i]+other+ticket[i+1:], "altered") != "" {
			t.Errorf("altered at %d it counts", i)
		}
	}
}
