package service_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/access/accesstest"
	"countersign/internal/audit"
	"countersign/internal/logtest"
	"countersign/internal/retention"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

const day = 24 * time.Hour

// retained is a world with a rule of 30 days.
type retained struct {
	*world
	log     logtest.Log
	count   map[retention.Result]int
	told    map[string]string // the times of announcements, by package
	unheard bool              // announcements cannot be written
}

func newRetained(t *testing.T) *retained {
	t.Helper()
	w := &retained{world: newWorld(t), count: map[retention.Result]int{}, told: map[string]string{}}
	w.Retention = &retention.Rule{
		After: 30 * day, Now: w.now, Logger: slog.New(slog.NewTextHandler(&w.log, nil)),
		Count: func(result retention.Result, n int) { w.count[result] += n },
		Keep: func(_ context.Context, e audit.Event) error {
			if w.unheard {
				return errors.New("the disk is full")
			}
			if e.Kind != audit.RetentionAnnounced || e.Person != "retention" || e.OnBehalfOf != accesstest.Alice().User {
				t.Errorf("announced is %+v", e)
			}
			w.told[e.Subject] = e.Reason
			return nil
		},
		Record: func(_ context.Context, e audit.Event) { w.journal.Record(e) },
	}
	return w
}

// made makes packages that were last updated so many days ago, and returns the first and the last.
func (w *retained) made(count int, status, owner string, days float64) (first, last string) {
	w.t.Helper()
	var made struct{ IDs [2]string }
	body := object{"count": count, "status": status, "updatedFrom": w.now().Add(-time.Duration(days * float64(day))).UTC().Format(time.RFC3339)}
	if owner != "" {
		body["owner"] = owner
	}
	w.manage("POST", "/_manage/packages", body, &made)
	return made.IDs[0], made.IDs[1]
}

// untilSwept ends a run after a sweep.
type untilSwept struct {
	index.Follower
	stop func()
}

func (untilSwept) Read(context.Context, signing.Package) {}
func (u untilSwept) Swept(context.Context)               { u.stop() }

// sweep lets the index sweep once.
func (w *retained) sweep() {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() { w.Index.Run(ctx, untilSwept{stop: stop}); close(done) }()
	<-done
}

// advance lets time pass, and the rule follow a sweep.
func (w *retained) advance(over time.Duration) {
	w.ahead.Add(int64(over))
	w.Retain(w.t.Context())
}

func (w *retained) trashed(id string) bool {
	w.t.Helper()
	p, err := w.Platform.Package(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Trashed
}

// What the plan says is what goes, at the time that it says and was announced; nothing else does.
func TestRetention_FollowsPlan(t *testing.T) {
	w, alice := newRetained(t), accesstest.Alice().User
	names := map[string]string{}
	for name, p := range map[string]struct {
		status, owner string
		days          float64
	}{
		"completed long ago": {"COMPLETED", alice, 400}, "completed": {"COMPLETED", alice, 31}, "archived": {"ARCHIVED", alice, 31},
		"declined": {"DECLINED", alice, 31}, "refused": {"OPTED_OUT", alice, 31}, "expired": {"EXPIRED", alice, 31},
		"tomorrow": {"COMPLETED", alice, 29.2}, "not yet": {"COMPLETED", alice, 20},
		"being signed": {"SENT", alice, 400}, "draft": {"DRAFT", alice, 400}, "made elsewhere": {"COMPLETED", "", 400},
	} {
		id, _ := w.made(1, p.status, p.owner, p.days)
		names[id] = name
	}
	binned, _ := w.made(1, "COMPLETED", alice, 400)
	names[binned] = "in the trash" // by a person, who takes it out again
	w.manage("PUT", "/api/packages/"+url.PathEscape(binned), object{"trashed": true}, nil)
	w.sweep()
	plan, err := w.RetentionPlan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range plan {
		told = append(told, names[e.ID])
	}
	slices.Sort(told)
	if want := []string{"archived", "completed", "completed long ago", "declined", "expired", "refused", "tomorrow"}; !slices.Equal(told, want) {
		t.Fatalf("the plan is %q, not %q", told, want)
	}
	begun := w.now()
	for _, after := range []time.Duration{0, 23 * time.Hour, 61 * time.Minute, 23 * time.Hour} {
		w.advance(after)
		for id, name := range names {
			goes := id == binned
			for _, e := range plan {
				if e.ID == id {
					goes = !e.TrashAt.After(w.now())
					if said, err := time.Parse(time.RFC3339, w.told[id]); err != nil || said.Sub(e.TrashAt).Abs() > time.Minute || said.Sub(begun) < retention.Notice-time.Minute {
						t.Errorf("%s: announced for %s, planned for %s", name, w.told[id], e.TrashAt)
					}
				}
			}
			if w.trashed(id) != goes {
				t.Errorf("%s after %s: in the trash is %t", name, w.now().Sub(begun), !goes)
			}
		}
	}
	if len(w.told) != len(plan) || w.count[retention.Announced] != len(plan) || w.count[retention.Done] != len(plan) {
		t.Errorf("%d are planned, %d announced, counted is %v", len(plan), len(w.told), w.count)
	}
	for _, e := range w.journal.Events {
		if e.Kind != audit.PackageChanged || e.Person != "retention" || e.OnBehalfOf != alice || e.Operation != "updatePackage" || w.told[e.Subject] == "" {
			t.Errorf("recorded is %+v", e)
		}
	}
}

// What changes after its announcement stays, and so does what nobody could read of.
func TestRetention_AnnouncementWithdrawn(t *testing.T) {
	w := newRetained(t)
	id, _ := w.made(1, "COMPLETED", accesstest.Alice().User, 31)
	w.sweep()
	w.unheard = true
	w.advance(0)
	w.unheard = false
	if times, err := w.TrashTimes(t.Context(), id); err != nil || len(times) != 0 {
		t.Errorf("announced unheard: %v, %v", times, err)
	}
	w.advance(time.Hour)
	if times, err := w.TrashTimes(t.Context(), id, "no-such"); err != nil || times[id].Sub(w.now()).Round(time.Minute) != day {
		t.Errorf("announced: %v, %v", times, err)
	}
	path := "/api/packages/" + url.PathEscape(id)
	w.manage("PUT", path, object{"trashed": true}, nil) // and out again: the platform has updated it
	w.manage("PUT", path, object{"trashed": false}, nil)
	w.advance(day + time.Minute)
	if w.trashed(id) || w.count[retention.Withdrawn] != 1 {
		t.Errorf("in the trash is %t; counted is %v", w.trashed(id), w.count)
	}
	if times, _ := w.TrashTimes(t.Context(), id); len(times) != 0 {
		t.Errorf("still announced: %v", times)
	}
}

// What has happened at the platform since the announcement counts when a package is due, before
// any sweep has seen it.
func TestRetention_ChangeAfterAnnouncement(t *testing.T) {
	for name, happens := range map[string]func(w *retained, path string){
		"its owner is removed": func(w *retained, path string) { w.manage("PUT", path, object{"data": object{"countersign": nil}}, nil) },
		"given to another": func(w *retained, path string) {
			w.manage("PUT", path, object{"data": object{"countersign": object{"owner": "bob@sandbox"}}}, nil)
		},
		"deleted": func(w *retained, path string) { w.manage("DELETE", path, nil, nil) },
	} {
		w := newRetained(t)
		id, _ := w.made(1, "COMPLETED", accesstest.Alice().User, 31)
		other, _ := w.made(1, "COMPLETED", accesstest.Alice().User, 31)
		w.sweep()
		w.advance(0)
		happens(w, "/api/packages/"+url.PathEscape(id))
		w.advance(day + time.Minute)
		if p, err := w.Platform.Package(t.Context(), id); err == nil && p.Trashed || !w.trashed(other) || w.count[retention.Done] != 1 {
			t.Errorf("%s: it went, or another did not: %v, %v", name, w.count, err)
		}
		for _, e := range w.journal.Events {
			if e.Subject == id {
				t.Errorf("%s: recorded is %+v", name, e)
			}
		}
	}
}

// Without a rule for days, by a clock that is wrong, and after another setting, nothing goes that
// was announced before.
func TestRetention_NothingUnannounced(t *testing.T) {
	for name, happens := range map[string]func(*retained){
		"no node ran":  func(w *retained) { w.advance(3 * day) },
		"another rule": func(w *retained) { w.Retention.After = 60 * day; w.advance(day + time.Hour) },
		"a wrong clock": func(w *retained) {
			w.Retention.Clock = func(context.Context) (time.Time, error) { return w.now().Add(-2 * day), nil }
			w.advance(2 * day)
		},
		"no other clock": func(w *retained) {
			w.Retention.Clock = func(context.Context) (time.Time, error) { return w.now(), errors.New("gone") }
			w.advance(2 * day)
		},
	} {
		w := newRetained(t)
		id, _ := w.made(1, "COMPLETED", accesstest.Alice().User, 31)
		w.sweep()
		w.advance(0)
		happens(w)
		if w.trashed(id) || w.count[retention.Done] != 0 {
			t.Errorf("%s: it is in the trash", name)
		}
	}
}

// A platform that is down is asked again, one that refuses is asked about the others.
func TestRetention_PlatformFailsOrRefuses(t *testing.T) {
	w := newRetained(t)
	first, _ := w.made(1, "COMPLETED", accesstest.Alice().User, 40)
	second, _ := w.made(1, "COMPLETED", accesstest.Alice().User, 35)
	w.sweep()
	w.advance(0)
	w.manage("POST", "/_manage/faults", object{"operation": "updatePackage", "status": 503, "times": 1}, nil)
	w.advance(day + time.Minute)
	if w.trashed(first) || w.trashed(second) || w.count[retention.Failed] != 1 {
		t.Errorf("after an outage: counted is %v", w.count)
	}
	w.manage("POST", "/_manage/faults", object{"operation": "updatePackage", "status": 403, "error": "Not allowed", "times": 1}, nil)
	w.advance(time.Minute)
	refused := first // both are due at the same time
	if w.trashed(first) {
		refused = second
	}
	if w.trashed(first) == w.trashed(second) || w.count[retention.Refused] != 1 || w.count[retention.Done] != 1 {
		t.Errorf("after a refusal: counted is %v", w.count)
	}
	if said := w.log.String(); !strings.Contains(said, refused) || !strings.Contains(said, "package not moved to the trash") {
		t.Errorf("the log says %q", said)
	}
}

// A rule that finds thousands takes a thousand a day.
func TestRetention_BacklogInParts(t *testing.T) {
	w := newRetained(t)
	w.made(1200, "COMPLETED", accesstest.Alice().User, 400)
	w.sweep()
	plan, err := w.RetentionPlan(t.Context())
	if err != nil || len(plan) != 1200 || plan[999].TrashAt.Sub(plan[0].TrashAt) > time.Minute || plan[1000].TrashAt.Sub(plan[0].TrashAt).Round(time.Minute) != day {
		t.Fatalf("the plan has %d, %v", len(plan), err)
	}
	w.advance(0)
	w.advance(time.Hour)
	if len(w.told) != 1000 || w.count[retention.Deferred] != 2 {
		t.Errorf("%d are announced; counted is %v", len(w.told), w.count)
	}
	w.advance(day)
	if w.count[retention.Done] != 50 || len(w.told) != 1000 {
		t.Errorf("one sweep has moved %d, and %d are announced", w.count[retention.Done], len(w.told))
	}
}
