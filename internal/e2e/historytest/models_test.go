package historytest_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/historytest"
)

// What the gap of replication excuses, and what nothing excuses. Each step is a second
// after the one before, and takes half of it; a failover begins at its step and is known
// when the next one begins.
func TestFailover_ExcusedViolations(t *testing.T) {
	for _, c := range []struct {
		thing historytest.Thing
		steps string
		fine  bool
	}{
		{historytest.Ceremony, "begun accepted over", true},
		{historytest.Ceremony, "begun over", false},
		{historytest.Ceremony, "begun unknown", true},
		{historytest.Ceremony, "begun accepted accepted", false},
		{historytest.Ceremony, "begun unclear accepted", true},
		{historytest.Ceremony, "begun unclear over", true},
		{historytest.Ceremony, "begun unclear accepted accepted", false},
		{historytest.Ceremony, "begun accepted FAILOVER accepted", true},
		{historytest.Proof, "begun accepted accepted", false},
		{historytest.Ceremony, "begun accepted FAILOVER accepted over accepted", false},
		{historytest.Ceremony, "begun accepted over over FAILOVER accepted", false},
		{historytest.Ceremony, "begun accepted FAILOVER over over accepted", false},
		{historytest.Session, "begun used ended over", true},
		{historytest.Session, "begun over", false},
		{historytest.Session, "begun ended used", false},
		{historytest.Session, "begun unclear used over over", true},
		{historytest.Session, "begun unclear over used", false},
		{historytest.Session, "begun ended FAILOVER used", true},
		{historytest.Session, "begun ended FAILOVER used over", true},
		{historytest.Session, "begun ended FAILOVER used used used", false},
		{historytest.Session, "begun ended over over FAILOVER used", false},
		{historytest.Session, "begun FAILOVER over", true},
		{historytest.Session, "begun used used FAILOVER over", false},
		{historytest.Key, "made:a made:a counted:1", true},
		{historytest.Key, "made:a made:b", false},
		{historytest.Key, "made:a counted:2", false},
		{historytest.Key, "unclear made:a counted:1", true},
		{historytest.Key, "unclear counted:1 made:a", true},
		{historytest.Key, "unclear made:a counted:2", false},
		{historytest.Key, "made:a FAILOVER made:b counted:2", true},
		{historytest.Key, "made:a FAILOVER made:b made:c", false},
		{historytest.Key, "made:a FAILOVER counted:1 made:a made:b", false},
		{historytest.Key, "made:a+made:a FAILOVER made:b counted:2", true},
		{historytest.Key, "made:a+unclear FAILOVER made:b made:c", false},
		{historytest.Key, "unclear FAILOVER made:b counted:2", true},
		{historytest.Key, "made:a made:a counted:1 counted:1 FAILOVER made:b", false},
	} {
		if _, found := recorded(c.thing, c.steps).Judge(); (len(found) == 0) != c.fine {
			t.Errorf("%s %s: fine is not %t", c.thing, c.steps, c.fine)
		}
	}
}

// recorded makes a history of its steps; those that a plus sign joins are asked at once.
func recorded(thing historytest.Thing, steps string) *historytest.Recorder {
	all := &historytest.Recorder{}
	for number, step := range strings.Fields(steps) {
		at := time.Unix(int64(number), 0)
		if step == "FAILOVER" {
			all.FailedOver(historytest.Failover{Began: at, Known: at.Add(time.Second)})
			continue
		}
		for one := range strings.SplitSeq(step, "+") {
			said, what, _ := strings.Cut(one, ":")
			e := historytest.Event{Thing: thing, ID: "one", Said: historytest.Said(said), Asked: at, Answered: at.Add(time.Second / 2)}
			switch e.Said {
			case historytest.Made:
				e.Package = what
			case historytest.Counted:
				e.Count = int(what[0] - '0')
			}
			all.Note(e)
		}
	}
	return all
}
