package i18n_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// text is one message of a file: a sentence, or its plural forms.
type text struct {
	plain string
	forms map[string]string
}

func (m *text) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, &m.plain)
	}
	return json.Unmarshal(raw, &m.forms)
}

// all returns the message's forms by name; a sentence's only form is "other".
func (m text) all() map[string]string {
	if m.forms == nil {
		return map[string]string{"other": m.plain}
	}
	return m.forms
}

// files returns the messages of every language.
func files(t *testing.T) map[string]map[string]text {
	t.Helper()
	all := map[string]map[string]text{}
	for _, tag := range bundle(t).Languages() {
		all[tag] = map[string]text{}
		for _, messages := range subjects(t, tag) {
			maps.Copy(all[tag], messages)
		}
	}
	return all
}

// subjects returns the message files of one language by their names.
func subjects(t *testing.T, tag string) map[string]map[string]text {
	t.Helper()
	names, err := filepath.Glob("messages/" + tag + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]text{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var messages map[string]text
		if err := json.Unmarshal(content, &messages); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[filepath.Base(name)] = messages
	}
	return found
}

func TestMessages_SameFileInEveryLanguage(t *testing.T) {
	english := subjects(t, "en")
	for _, tag := range bundle(t).Languages() {
		for name, messages := range subjects(t, tag) {
			for id := range messages {
				if _, ok := english[name][id]; !ok {
					t.Errorf("%s: %s is in %s, and not in that of English", tag, id, name)
				}
			}
		}
	}
}

func TestMessages_InEveryLanguage(t *testing.T) {
	all := files(t)
	for tag, messages := range all {
		for id := range all["en"] {
			if _, ok := messages[id]; !ok {
				t.Errorf("%s: %s is missing", tag, id)
			}
		}
		for id := range messages {
			if _, ok := all["en"][id]; !ok {
				t.Errorf("%s: English has no %s", tag, id)
			}
		}
	}
}

var placeholder = regexp.MustCompile(`\{\{[^}]*\}\}`)

func placeholders(s string) []string {
	found := placeholder.FindAllString(s, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// The form for one may omit the number, and no form has a placeholder that English does
// not fill.
func TestPlaceholders_SameInEveryLanguage(t *testing.T) {
	all := files(t)
	for tag, messages := range all {
		for id, message := range messages {
			want := placeholders(all["en"][id].all()["other"])
			if got := placeholders(message.all()["other"]); !slices.Equal(got, want) {
				t.Errorf("%s: %s has %q, want %q", tag, id, got, want)
			}
			for form, s := range message.all() {
				for _, name := range placeholders(s) {
					if !slices.Contains(want, name) {
						t.Errorf("%s: %s, %s: no code fills in %s", tag, id, form, name)
					}
				}
			}
		}
	}
}

// pluralForms are the plural forms of each language (Unicode CLDR, plural rules).
var pluralForms = map[string][]string{
	"en": {"one", "other"}, "de": {"one", "other"}, "fr": {"many", "one", "other"}, "es": {"many", "one", "other"}, "ja": {"other"},
}

func TestPluralForms_OfLanguage(t *testing.T) {
	b, all := bundle(t), files(t)
	for tag, messages := range all {
		if pluralForms[tag] == nil {
			t.Errorf("which plural forms has %s?", tag)
		}
		for id, message := range messages {
			if (message.forms == nil) != (all["en"][id].forms == nil) {
				t.Errorf("%s: %s is a plural here or in English, not in both", tag, id)
			}
			if message.forms == nil {
				continue
			}
			if got := slices.Sorted(maps.Keys(message.forms)); !slices.Equal(got, pluralForms[tag]) {
				t.Errorf("%s: %s has the forms %q, want %q", tag, id, got, pluralForms[tag])
			}
			for _, count := range []int{0, 1, 2, 3, 5, 11, 21, 100, 101, 1000, 1_000_000} {
				if got := b.For(tag).N(id, count); got == id || strings.Contains(got, "<no value>") {
					t.Errorf("%s: %s of %d is %q", tag, id, count, got)
				}
			}
		}
	}
}

// sameAnywhere are the ids of what may be the same in two languages: formats and names.
var sameAnywhere = regexp.MustCompile(`^(format|country)\.`)

// sameAsEnglish are the messages that a language rightly has in common with English, by language and id.
var sameAsEnglish = map[string][]string{
	"fr": {"page.compose.page-number", "page.proofs.minutes", "page.sheets.number"},
}

// A sentence equal to the English one has not been translated.
func TestMessages_NotLeftInEnglish(t *testing.T) {
	all := files(t)
	for tag, messages := range all {
		for id, message := range messages {
			same := false
			for form, s := range message.all() {
				same = same || s == all["en"][id].all()[form]
				if tag != "en" && strings.Contains(s, " ") && !sameAnywhere.MatchString(id) && !slices.Contains(sameAsEnglish[tag], id) && s == all["en"][id].all()[form] {
					t.Errorf("%s: %s is English: %q", tag, id, s)
				}
			}
			if !same && slices.Contains(sameAsEnglish[tag], id) {
				t.Errorf("%s: %s is not the same as in English any more", tag, id)
			}
		}
	}
}

// typography holds patterns that no message of a language may match, by reason.
var typography = map[string]map[string]*regexp.Regexp{
	"en": {"a straight quotation mark": regexp.MustCompile(`["']`)},
	"de": {
		"another word for one thing":          regexp.MustCompile(`(?i)paket|benutzt`),
		"a quotation mark that is not German": regexp.MustCompile(`["”«»‘]`), "informal address": regexp.MustCompile(`\b([Dd]u|[Dd]ein\w*|[Dd]ich|[Dd]ir)\b`),
	},
	"fr": {
		"another word for one thing": regexp.MustCompile(`(?i)paquet|tracée|mett(ez|re) fin|mettez-y fin`), "no elision": regexp.MustCompile(`(?i)\b(de|que|ne) [aeiouyéèê]`),
		"no narrow space before the sign": regexp.MustCompile(`[^\x{202f}][?!;]`), "no space before the colon": regexp.MustCompile(`[^\x{00a0}:]:([^/\d]|$)`),
		"a straight apostrophe": regexp.MustCompile(`'`), "a quotation mark without its space": regexp.MustCompile(`«[^\x{00a0}]|[^\x{00a0}]»|["“”]`),
		"informal address": regexp.MustCompile(`(?i)(^|[^\pL])(tu|ton|tes|toi)([^\pL]|$)`),
	},
	"es": {
		"another word for one thing":        regexp.MustCompile(`(?i)paquete|habilit|trazad|campos? propio`),
		"a question without its first mark": regexp.MustCompile(`^[^¿]*\?`), "a quotation mark that is not Spanish": regexp.MustCompile(`["“”]`),
		"informal address": regexp.MustCompile(`(?i)(^|[^\pL])(tú|tu|tus|te)([^\pL]|$)`),
	},
	"ja": {
		"an ASCII mark after Japanese": regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Han}][.,?!:;]`), "a quotation mark that is not Japanese": regexp.MustCompile(`["“”]`),
		"no space beside Latin letters and digits": regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Han}][0-9A-Za-z]|[0-9A-Za-z][\p{Hiragana}\p{Katakana}\p{Han}]`),
	},
}

// freely are the messages that typography does not hold: the text of an e-mail in letters
// of ASCII, which programs compare, dates as browsers write them, and a whole sentence.
var freely = regexp.MustCompile(`^(en format\.asks|ja format\..*|ja page\.sending\.who-end)$`)

// spans are placeholders for a number with its unit, which ends in a Japanese letter there.
var spans = strings.NewReplacer("{{.Age}}", "5 分")

func TestTypography_OfLanguage(t *testing.T) {
	for tag, messages := range files(t) {
		if typography[tag] == nil {
			t.Errorf("%s has no rules", tag)
		}
		for id, message := range messages {
			for form, s := range message.all() {
				if s == "" || s != strings.TrimSpace(s) || strings.Contains(s, "  ") || strings.ContainsAny(s, "<>\t\n") || strings.ContainsAny(s, "!！") {
					t.Errorf("%s: %s, %s: %q", tag, id, form, s)
				}
				for rule, broken := range typography[tag] {
					if !freely.MatchString(tag+" "+id) && broken.MatchString(placeholder.ReplaceAllString(spans.Replace(s), "x")) {
						t.Errorf("%s: %s, %s: %s: %q", tag, id, form, rule, s)
					}
				}
			}
		}
	}
}

// TestMessages_AreUsed checks that our sources use the message ids that neither an
// error row nor a template covers: those of fields, formats, erasures, notices, countries and
// devices.
func TestMessages_AreUsed(t *testing.T) {
	used := map[string]bool{}
	id := regexp.MustCompile(`"((?:field|format|erasure|notice|country|device)\.[a-z0-9-]+)"`)
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, match := range id.FindAllStringSubmatch(string(content), -1) {
			used[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	there := files(t)["en"]
	for id := range used {
		if _, ok := there[id]; !ok {
			t.Errorf("%s is used, and has no message", id)
		}
	}
	groups := regexp.MustCompile(`^(error|page|js)\.`) // packages fault and templates check that these are used
	for id := range there {
		if !used[id] && !groups.MatchString(id) {
			t.Errorf("%s is not used", id)
		}
	}
}

// Each placeholder is filled with a text by people, which is isolated, or with what needs no
// isolation: who adds one says which.
func TestPlaceholders_Known(t *testing.T) {
	byPeople := "Name Email ID Provider"
	ours := "Address Age Asked Asker Browser Count Day Device First Host Input Kind Language Last MaxDocumentSize MaxDocuments Methods Month Names Number Origin Page " +
		"Percent Person Previous Problem Second Sentence Signed Size System Tab Time User What When Year Zone"
	known := strings.Fields(byPeople + " " + ours)
	printer := bundle(t).For("en")
	for id, message := range files(t)["en"] {
		for _, form := range message.all() {
			for _, found := range regexp.MustCompile(`\{\{\.(\w+)\}\}`).FindAllStringSubmatch(form, -1) {
				name := found[1]
				if !slices.Contains(known, name) {
					t.Errorf("%s: it is not known whether %s is by people", id, name)
				}
				isolated := strings.Contains(printer.T(id, name, "Bob\u202e"), "\u2068Bob\u2069")
				if message.forms == nil && isolated != slices.Contains(strings.Fields(byPeople), name) {
					t.Errorf("%s: %s is isolated: %v", id, name, isolated)
				}
				if plain := printer.Plain(id, name, "Bob\u202e"); message.forms == nil && strings.Contains(plain, "\u2068") {
					t.Errorf("%s: handed on as %+q", id, plain)
				}
			}
		}
	}
}
