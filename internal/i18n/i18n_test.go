package i18n_test

import (
	"fmt"
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

// Japanese has no space between sentences.
func TestJoin_SentencesInLanguage(t *testing.T) {
	b := bundle(t)
	for tag, want := range map[string]string{"en": "One. Two.", "fr": "One. Two.", "ja": "One.Two."} {
		if got := b.For(tag).Join("One.", "Two."); got != want {
			t.Errorf("%s: %q", tag, got)
		}
	}
}

func TestList_SeparatorsOfLanguage(t *testing.T) {
	b := bundle(t)
	for tag, want := range map[string]string{"en": "a, b", "es": "a, b", "ja": "a、b"} {
		if got := b.For(tag).List("a", "b"); got != want {
			t.Errorf("%s: %q", tag, got)
		}
	}
}

func TestMatch_SettingThenHeaderThenEnglish(t *testing.T) {
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

func TestMatch_LanguageOfRegion(t *testing.T) {
	b := bundle(t)
	for header, want := range map[string]string{
		"fr-CA": "fr", "fr": "fr", "FR-be;q=0.7": "fr", "de-AT": "de", "de-CH-1996": "de", "es-419": "es", "es-MX,es;q=0.9,en;q=0.8": "es",
		"ja": "ja", "ja-JP": "ja", "en-GB": "en", "zh": "en", "zh-Hant-TW": "en", "ko": "en", "pt-BR": "en", "ru,uk;q=0.5": "en", "*": "en",
		"zh, fr;q=0.5": "fr", "fr;q=0.1, de;q=0.9": "de", "gsw": "de", "tlh, ja;q=0.1": "ja", "de;q=0": "en",
	} {
		if got := b.Match("", header); got != want {
			t.Errorf("%s is answered in %s, want %s", header, got, want)
		}
	}
	if got := b.Match("ja", "fr"); got != "ja" {
		t.Errorf("the setting gives way to the header: %s", got)
	}
}

// A header is matched alike whether it is remembered or not.
func TestMatch_SameEveryTime(t *testing.T) {
	b := bundle(t)
	for round := range 2 {
		for i := range 3000 {
			want := []string{"ja", "fr", "es"}[i%3]
			if got := b.Match("", fmt.Sprintf("tlh-x-%d, %s;q=0.5", i, want)); got != want {
				t.Fatalf("round %d: header %d is answered in %s, want %s", round, i, got, want)
			}
		}
	}
}

// However many strange headers came before, browsers' headers are remembered.
func TestMatch_RemembersDespiteManyHeaders(t *testing.T) {
	b := bundle(t)
	for i := range 3000 {
		b.Match("", fmt.Sprintf("tlh-x-%d", i))
	}
	const header = "de-CH,de;q=0.9,en;q=0.8"
	b.Match("", header)
	if again := testing.AllocsPerRun(100, func() { b.Match("", header) }); again > 0 {
		t.Errorf("it is read again each time, with %v allocations", again)
	}
}

func TestLanguages_NameThemselves(t *testing.T) {
	b := bundle(t)
	if got := strings.Join(b.Languages(), " "); got != "en de es fr ja" {
		t.Errorf("languages: %s", got)
	}
	for tag, want := range map[string]string{"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ja": "日本語"} {
		if got := b.For(tag).Name(); got != want {
			t.Errorf("%s calls itself %q", tag, got)
		}
	}
}

func TestDateTime_InLanguage(t *testing.T) {
	b := bundle(t)
	first := time.Date(2026, 8, 1, 0, 5, 0, 0, time.UTC)
	other := time.Date(2025, 12, 24, 18, 30, 0, 0, time.UTC)
	for tag, want := range map[string][2]string{
		"en": {"1 August 2026, 00:05 UTC", "24 December 2025, 18:30 UTC"},
		"de": {"1. August 2026, 00:05 Uhr UTC", "24. Dezember 2025, 18:30 Uhr UTC"},
		"es": {"1 de agosto de 2026, 00:05 UTC", "24 de diciembre de 2025, 18:30 UTC"},
		"fr": {"1er août 2026 à 00:05 UTC", "24 décembre 2025 à 18:30 UTC"},
		"ja": {"2026年8月1日 00:05（UTC）", "2025年12月24日 18:30（UTC）"},
	} {
		if got := [2]string{b.For(tag).DateTime(first), b.For(tag).DateTime(other)}; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

func TestDay_NamesOtherYear(t *testing.T) {
	b := bundle(t)
	first := time.Date(2026, 8, 1, 0, 5, 0, 0, time.UTC)
	now := time.Date(2026, 12, 31, 23, 59, 0, 0, time.FixedZone("west", -3600)) // 2027 in UTC
	for tag, want := range map[string][2]string{
		"en": {"1 August", "1 August 2026"},
		"de": {"1. August", "1. August 2026"},
		"es": {"1 de agosto", "1 de agosto de 2026"},
		"fr": {"1er août", "1er août 2026"},
		"ja": {"8月1日", "2026年8月1日"},
	} {
		if got := [2]string{b.For(tag).Day(first, first.AddDate(0, 4, 0)), b.For(tag).Day(first, now)}; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

func TestDateTime_NamesOfMonths(t *testing.T) {
	b := bundle(t)
	for _, tag := range b.Languages() {
		names := map[string]bool{}
		for month := time.January; month <= time.December; month++ {
			names[b.For(tag).DateTime(time.Date(2026, month, 2, 3, 4, 0, 0, time.UTC))] = true
		}
		if len(names) != 12 {
			t.Errorf("%s: months share a name: %v", tag, names)
		}
	}
}

func TestNumber_InLanguage(t *testing.T) {
	b := bundle(t)
	for tag, want := range map[string]string{"en": "12,345", "de": "12.345", "es": "12.345", "fr": "12\u00a0345", "ja": "12,345"} {
		if got := b.For(tag).Number(12345); got != want {
			t.Errorf("%s writes %q, want %q", tag, got, want)
		}
		if got := b.For(tag).N("page.error.wait", 12345); !strings.Contains(got, want) {
			t.Errorf("%s: %q", tag, got)
		}
	}
}

func TestPrinter_Plurals(t *testing.T) {
	b := bundle(t)
	for tag, want := range map[string]string{
		"en": "You can try again in one second.", "de": "In einer Sekunde können Sie es noch einmal versuchen.",
		"es": "Podrá volver a intentarlo dentro de 1 segundo.", "fr": "Vous pourrez réessayer dans 1 seconde.", "ja": "1 秒後にもう一度試せます。",
	} {
		if got := b.For(tag).N("page.error.wait", 1); got != want {
			t.Errorf("%s: %q", tag, got)
		}
	}
}

func TestPrinter_Messages(t *testing.T) {
	words := bundle(t).For("en")
	if got := words.T("error.request.rate.title"); got != "Too many tries" {
		t.Errorf("T = %q", got)
	}
	if got := words.T("no.such.message"); got != "no.such.message" {
		t.Errorf("a missing message shows as %q", got)
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("east", 3*3600))
	if got := words.DateTime(at); got != "4 March 2026, 02:06 UTC" {
		t.Errorf("DateTime = %q", got)
	}
}

func TestBundle_UnknownLanguageIsEnglish(t *testing.T) {
	b := bundle(t)
	if got := b.For("tlh").Tag(); got != "en" {
		t.Errorf("For(tlh) speaks %s", got)
	}
	if b.Has("tlh") || !b.Has("en") {
		t.Error("Has does not know the languages")
	}
}
