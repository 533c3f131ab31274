package i18n_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/i18n"
)

func bundle(t *testing.T) *i18n.Bundle {
	t.Helper()
	b, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMatchFollowsTheSettingThenTheHeaderThenEnglish(t *testing.T) {
	b := bundle(t)
	cases := []struct{ name, setting, header string }{
		{"nothing said", "", ""},
		{"the setting", "en", "zz"},
		{"a setting there is no file for", "tlh", ""},
		{"a header nobody can read", "", ";;;q=,,"},
		{"a region of English", "", "en-NZ,en;q=0.8"},
		{"a language there is no file for", "", "tlh"},
		{"a header longer than anybody's", "", strings.Repeat("xx,", 5000)},
	}
	for _, c := range cases {
		if got := b.Match(c.setting, c.header); got != "en" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestPrinter(t *testing.T) {
	words := bundle(t).For("en")
	if got := words.T("error.request.rate.title"); got != "Too many tries" {
		t.Errorf("T = %q", got)
	}
	if got := words.T("no.such.message"); got != "no.such.message" {
		t.Errorf("a missing message shows as %q", got)
	}
	if words.Has("no.such.message") || !words.Has("error.request.rate.title") {
		t.Error("Has does not know what there is")
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("east", 3*3600))
	if got := words.DateTime(at); got != "4 March 2026, 02:06 UTC" {
		t.Errorf("DateTime = %q", got)
	}
}

func TestAnUnknownLanguageIsEnglish(t *testing.T) {
	b := bundle(t)
	if got := b.For("tlh").Tag(); got != "en" {
		t.Errorf("For(tlh) speaks %s", got)
	}
	if b.Has("tlh") || !b.Has("en") {
		t.Error("Has does not know the languages")
	}
}
