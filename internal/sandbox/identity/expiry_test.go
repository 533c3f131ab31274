package identity

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var start = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func anyone(int) bool { return true }

func TestExpiring_TakenOnce(t *testing.T) {
	e := newExpiring[int](time.Minute)
	e.add("a", 1, start)
	if _, ok := e.take("a", start, func(int) bool { return false }); ok {
		t.Error("taken by somebody else")
	}
	if v, ok := e.take("a", start, anyone); !ok || v != 1 {
		t.Errorf("took %d, %v", v, ok)
	}
	if _, ok := e.take("a", start, anyone); ok {
		t.Error("taken twice")
	}
}

func TestExpiring_ConcurrentTake(t *testing.T) {
	e := newExpiring[int](time.Minute)
	e.add("a", 1, start)
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, ok := e.take("a", start, anyone); ok {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if taken.Load() != 1 {
		t.Errorf("taken %d times", taken.Load())
	}
}

func TestExpiring_ForgetsExpiredValues(t *testing.T) {
	e := newExpiring[int](time.Minute)
	e.add("a", 1, start)
	e.add("b", 2, start.Add(30*time.Second))
	if !e.change("a", start.Add(59*time.Second), func(v *int) { *v = 7 }) {
		t.Fatal("a is gone before its time")
	}
	end := start.Add(time.Minute)
	if e.change("a", end, func(*int) {}) {
		t.Error("a is there at its end")
	}
	if _, ok := e.take("b", end, anyone); !ok {
		t.Error("b went with a")
	}
	e.clear()
	e.add("c", 3, start) // the clock went back with the reset
	if v, ok := e.take("c", start, anyone); !ok || v != 3 {
		t.Error("c is not there after clear")
	}
}

func TestExpiring_Change(t *testing.T) {
	e := newExpiring[int](time.Minute)
	e.add("a", 1, start)
	e.change("a", start, func(v *int) { *v = 7 })
	if v, _ := e.take("a", start, anyone); v != 7 {
		t.Errorf("a is %d", v)
	}
}

// Expired values use no memory.
func TestExpiring_FreesMemory(t *testing.T) {
	e := newExpiring[int](time.Minute)
	for i := range 10000 {
		e.add(strconv.Itoa(i), i, start.Add(time.Duration(i)*time.Second))
	}
	if len(e.entries) != 60 || len(e.queue) != 60 {
		t.Errorf("%d entries, %d in the queue, want 60", len(e.entries), len(e.queue))
	}
}
