package portal

import (
	"testing"
	"time"

	"countersign/internal/signing"
	"countersign/templates"
)

// A row says the day until which people can sign, by its name if it is near, and stands out
// within three days; nothing that has not been sent, or is over, does.
func TestPackageRow_DueDate(t *testing.T) {
	words := newPages(t).View(templates.Common{Language: "en"})
	now := time.Date(2026, 12, 29, 22, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		in   time.Duration
		day  string
		soon bool
	}{
		{-time.Hour, "today", true},
		{time.Hour, "today", true},
		{3 * time.Hour, "tomorrow", true},
		{27 * time.Hour, "31 December", true},
		{72 * time.Hour, "1 January 2027", true},
		{72*time.Hour + time.Second, "1 January 2027", false},
		{-48 * time.Hour, "27 December", true},
	} {
		i := Item{Status: signing.StatusSent, Due: now.Add(c.in)}
		if got := i.DueDay(words, now); got != c.day || i.DueSoon(now) != c.soon {
			t.Errorf("in %s it is due %q, soon %t", c.in, got, i.DueSoon(now))
		}
		for _, state := range []string{signing.StatusDraft, signing.StatusCompleted, signing.StatusExpired} {
			if i.Status = state; i.DueSent() || i.DueSoon(now) {
				t.Errorf("%s is due", state)
			}
		}
	}
	if (Item{Status: signing.StatusSent}).DueSoon(now) {
		t.Error("due without a time")
	}
}

// A reminder names up to two people, and counts more.
func TestReminder_NamesTwoSigners(t *testing.T) {
	words := newPages(t).View(templates.Common{Language: "en"})
	for want, names := range map[string][]string{
		"A reminder goes to: \u2068Ann\u2069, \u2068Bob\u2069": {"Ann", "Bob"},
		"A reminder goes to 3 people who have not signed yet":  {"Ann", "Bob", "Cem"},
	} {
		if got := (packageView{Reminded: names}).Reminds(words); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
