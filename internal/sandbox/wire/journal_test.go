package wire

import (
	"strconv"
	"testing"
	"time"
)

func TestJournal_Bounded(t *testing.T) {
	var j Journal
	first := j.begin(Entry{Path: "first"})
	for i := range journalLength {
		j.begin(Entry{Path: strconv.Itoa(i)})
	}
	j.change(first, func(e *Entry) { e.Status = 200 }) // its answer comes after it was forgotten
	list := j.List()
	if len(list) != journalLength || list[0].Path != "0" || list[len(list)-1].Path != strconv.Itoa(journalLength-1) {
		t.Errorf("%d entries from %q to %q", len(list), list[0].Path, list[len(list)-1].Path)
	}
}

// What was sent and answered is remembered of the newest calls alone, also where an answer
// comes late.
func TestJournal_BodiesOfNewestCalls(t *testing.T) {
	var j Journal
	late := j.begin(Entry{})
	for range Recent {
		j.change(j.begin(Entry{}), func(e *Entry) { e.Request = content("", "body") })
	}
	j.change(late, func(e *Entry) { e.Answer = content("", "late") })
	j.begin(Entry{})
	kept := 0
	for i, e := range j.List() {
		if e.Number != i+1 {
			t.Errorf("call %d is number %d", i+1, e.Number)
		}
		if e.Request.size+e.Answer.size > 0 {
			kept++
		}
	}
	if kept != Recent-1 {
		t.Errorf("%d bodies are remembered", kept)
	}
	j.Clear()
	if e := j.begin(Entry{}); e.Number != 1 {
		t.Errorf("after Clear the first call is number %d", e.Number)
	}
}

func TestClock_Advance(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	c := NewClock(func() time.Time { return at })
	c.Advance(time.Minute)
	c.Advance(time.Hour)
	if got := c.Now().Sub(at); got != 61*time.Minute {
		t.Errorf("ahead by %v", got)
	}
	c.reset()
	if !c.Now().Equal(at) {
		t.Error("reset left the clock ahead")
	}
}
