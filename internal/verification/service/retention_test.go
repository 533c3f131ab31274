package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/logtest"
	"countersign/internal/retention"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

const day = 24 * time.Hour

// retained is a world with a rule of 30 days.
type retained struct {
	*world
	log   logtest.Log
	count map[retention.Result]int
}

func newRetained(t *testing.T) *retained {
	t.Helper()
	w := &retained{world: newWorld(t), count: map[retention.Result]int{}}
	w.Retention = &retention.Rule{
		After: 30 * day, Now: w.now, Logger: slog.New(slog.NewTextHandler(&w.log, nil)),
		Count:  func(result retention.Result, n int) { w.count[result] += n },
		Record: func(_ context.Context, e audit.Event) { w.journal.Record(e) },
	}
	return w
}

// manage makes a call of the sandbox, which must succeed.
func (w *retained) manage(path string, body map[string]any) {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	answer, err := http.Post(w.url+path, "application/json", bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode >= http.StatusBadRequest {
		w.t.Fatalf("%s: %d %v", path, answer.StatusCode, err)
	}
}

// ended starts a transaction of alice's that ends at once, and returns its id.
func (w *retained) ended(status string) string {
	w.t.Helper()
	id := w.started()
	if status != "" {
		w.manage("/_manage/transactions/"+id, map[string]any{"status": status})
	}
	w.refresh(id)
	return id
}

func (w *retained) refresh(id string) {
	w.t.Helper()
	if err := w.Index.Refresh(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
}

// advance lets time pass, and the rule follow a sweep.
func (w *retained) advance(over time.Duration) {
	w.ahead.Add(int64(over))
	w.Retain(w.t.Context())
}

// erasureOf returns the time of erasure that the list of alice's tells; "" for none, "gone" for a
// transaction that is not in it.
func (w *retained) erasureOf(id string) string {
	w.t.Helper()
	page, err := w.List(w.t.Context(), w.actor(alice), index.Query{From: 1, To: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	i := slices.IndexFunc(page.Results, func(item index.Item) bool { return item.ID == id })
	switch {
	case i < 0:
		return "gone"
	case page.Results[i].ErasureAt == nil:
		return ""
	}
	return fmt.Sprintf("in %d hours", int(page.Results[i].ErasureAt.Sub(w.now()).Round(time.Hour).Hours()))
}

// What the plan says is what is marked, a day before it is erased; nothing else is.
func TestPlan_MatchesErasure(t *testing.T) {
	w := newRetained(t)
	names := map[string]string{}
	for _, status := range []string{"completed", "cancelled", "expired", "error", "workflow_in_progress", "vaulted", ""} {
		names[w.ended(status)] = status
	}
	byHand := w.ended("completed")
	if _, err := w.Erase(t.Context(), w.actor(carol), verification.Erasure{Days: 90, IDs: []string{byHand}}); err != nil {
		t.Fatal(err)
	}
	w.advance(28 * day)
	late := w.ended("completed")
	if plan, err := w.RetentionPlan(t.Context()); err != nil || len(plan) != 0 || w.count[retention.Announced] != 0 {
		t.Errorf("two days before: %v, %v, %v", plan, err, w.count)
	}
	w.ahead.Add(int64(day + time.Minute))
	plan, err := w.RetentionPlan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var planned []string
	for _, e := range plan {
		planned = append(planned, names[e.ID])
		if e.ErasureAt.Sub(w.now()).Round(time.Hour) != day || e.Status != names[e.ID] {
			t.Errorf("planned is %+v", e)
		}
	}
	slices.Sort(planned)
	if want := []string{"cancelled", "completed", "error", "expired"}; !slices.Equal(planned, want) {
		t.Fatalf("the plan is %q", planned)
	}
	w.journal.Events = nil
	w.advance(0)
	w.advance(time.Minute) // once is enough
	var told []string
	for _, e := range w.journal.Events {
		if e.Kind != audit.VerificationChanged || e.Operation != "markForErasure" || e.Person != "retention" || e.OnBehalfOf != alice.User {
			t.Errorf("recorded is %+v", e)
		}
		told = append(told, names[e.Subject])
	}
	if slices.Sort(told); !slices.Equal(told, planned) || w.count[retention.Announced] != len(planned) {
		t.Errorf("told is %q; counted is %v", told, w.count)
	}
	for id, status := range names {
		if got, want := w.erasureOf(id), map[bool]string{true: "in 24 hours"}[slices.Contains(planned, status)]; got != want {
			t.Errorf("%s: the list says %q, not %q", status, got, want)
		}
	}
	if got := w.erasureOf(byHand); got != "in 1464 hours" { // 90 days after the first
		t.Errorf("marked by a person: the list says %q", got)
	}
	if got := w.erasureOf(late); got != "" {
		t.Errorf("ended later: the list says %q", got)
	}
	if again, err := w.RetentionPlan(t.Context()); err != nil || len(again) != len(plan) {
		t.Errorf("then the plan is %v, %v", again, err)
	}
	w.advance(day + time.Hour)
	for id, status := range names {
		if got := w.erasureOf(id); (got == "gone") != slices.Contains(planned, status) {
			t.Errorf("%s, a day later: the list says %q", status, got)
		}
	}
}

// A mark that somebody takes back is not set once more; nor is what somebody else marked, or what
// goes on, at the platform alone.
func TestRetention_LeavesOthersMarks(t *testing.T) {
	for name, happens := range map[string]func(*retained, string){
		"taken back": func(w *retained, id string) {
			w.advance(0)
			if done, err := w.TakeBack(w.t.Context(), w.actor(carol), []string{id}); err != nil || !done[id] {
				w.t.Fatal(done, err)
			}
		},
		"marked at the platform": func(w *retained, id string) {
			if _, err := w.Platform.Mark(w.t.Context(), verification.Erasure{Days: 90, IDs: []string{id}}); err != nil {
				w.t.Fatal(err)
			}
		},
		"a wrong clock": func(w *retained, _ string) {
			w.Retention.Clock = func(context.Context) (time.Time, error) { return w.now().Add(2 * time.Hour), nil }
		},
	} {
		w := newRetained(t)
		id := w.ended("completed")
		w.ahead.Add(int64(31 * day))
		happens(w, id)
		for range 3 {
			w.advance(day)
		}
		if got := w.erasureOf(id); got != "" {
			t.Errorf("%s: the list says %q", name, got)
		}
		if plan, err := w.RetentionPlan(t.Context()); err != nil || (name != "a wrong clock") != (len(plan) == 0) {
			t.Errorf("%s: the plan is %v, %v", name, plan, err)
		}
	}
}

// A platform that is down is asked again at the next sweep, one that refuses a day later.
func TestRetention_PlatformDoesNotMark(t *testing.T) {
	w := newRetained(t)
	id := w.ended("completed")
	w.manage("/_manage/faults", map[string]any{"operation": "markForErasure", "status": 503, "times": 1})
	w.advance(31 * day)
	if w.count[retention.Failed] != 1 || !strings.Contains(w.log.String(), "retention failed") {
		t.Errorf("after an outage: counted is %v, logged %q", w.count, w.log.String())
	}
	w.manage("/_manage/faults", map[string]any{"operation": "markForErasure", "status": 403, "error": "Not allowed", "times": 1})
	w.advance(time.Minute)
	w.advance(time.Hour)
	if w.count[retention.Refused] != 1 || w.erasureOf(id) != "" {
		t.Errorf("after a refusal: counted is %v", w.count)
	}
	w.advance(day)
	if w.count[retention.Announced] != 1 || w.erasureOf(id) != "in 24 hours" {
		t.Errorf("a day later: counted is %v", w.count)
	}
}

// A mark of which the rule does not hear, since Redis or the platform's answer fails, is the rule's
// own: it is announced at the next look, and not set once more after it was taken back.
func TestRetention_MarkResponseLost(t *testing.T) {
	w := newRetained(t)
	ids := []string{w.ended("completed"), w.ended("completed"), w.ended("completed")}
	w.breaks, w.journal.Events = "/mark-for-erasure", nil
	w.advance(31 * day)
	w.breaks, w.down = "", false
	if done, err := w.TakeBack(t.Context(), w.actor(carol), ids[2:]); err != nil || !done[ids[2]] {
		t.Fatal(done, err)
	}
	w.advance(time.Minute)
	for i, id := range ids {
		want, heard := map[bool]string{true: "in 24 hours"}[i < 2], false
		for _, e := range w.journal.Events {
			heard = heard || e.Person == "retention" && e.Operation == "markForErasure" && e.Subject == id && e.OnBehalfOf == alice.User
		}
		if got := w.erasureOf(id); got != want || i < 2 && !heard {
			t.Errorf("%d: the list says %q, and the audit trail has it: %t", i, got, heard)
		}
	}
	if plan, err := w.RetentionPlan(t.Context()); err != nil || len(plan) != 2 {
		t.Errorf("the plan is %v, %v", plan, err)
	}
}

// A transaction that was not started through Countersign is nobody's to erase by a rule.
func TestRetention_LeavesForeignTransactions(t *testing.T) {
	w := newRetained(t)
	var made struct{ IDs [2]string }
	answer, err := http.Post(w.url+"/_manage/transactions", "application/json", strings.NewReader(`{"count":1,"status":"completed"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.IDs[0] == "" {
		t.Fatal(err)
	}
	if _, err := w.Get(t.Context(), w.actor(carol), made.IDs[0]); err != nil {
		t.Fatal(err)
	}
	w.advance(400 * day)
	if plan, err := w.RetentionPlan(t.Context()); err != nil || len(plan) != 0 || len(w.count) != 0 {
		t.Errorf("planned is %v, %v; counted is %v", plan, err, w.count)
	}
}

// A rule that finds hundreds takes a hundred in a sweep.
func TestRetention_BacklogMarkedInParts(t *testing.T) {
	w := newRetained(t)
	for range 105 {
		w.ended("completed")
	}
	w.advance(31 * day)
	if w.count[retention.Announced] != 100 || w.count[retention.Deferred] != 1 {
		t.Errorf("counted is %v", w.count)
	}
	w.advance(0)
	if w.count[retention.Announced] != 105 || w.count[retention.Deferred] != 1 {
		t.Errorf("then counted is %v", w.count)
	}
}
