package templates_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const english = "../internal/i18n/messages/en/*.json"

var (
	wordID   = regexp.MustCompile(`"((?:page|js)\.[a-z0-9.-]*[a-z0-9])"`)
	scriptID = regexp.MustCompile(`"(js\.[a-z0-9.-]+)"`)
	noticeID = regexp.MustCompile(`templates\.Notice = "([a-z-]+)"`)
)

// TestMessages_ExistAndAreUsed checks that the pages use exactly the messages of the
// language file.
func TestMessages_ExistAndAreUsed(t *testing.T) {
	used := idsIn(t, wordID, "*.html", "parts/*.html", "*.go", "../handlers/*.go", "../handlers/*/*.go", "../web/reference/*.go", "../static/*.js")
	for _, notice := range idsIn(t, noticeID, "../handlers/page/*.go") {
		used = append(used, "page.notice."+notice)
	}
	var there []string
	for id := range readEnglish(t) {
		if strings.HasPrefix(id, "page.") || strings.HasPrefix(id, "js.") {
			there = append(there, id)
		}
	}
	compare(t, "used, not in the language file", used, there)
	compare(t, "in the language file, not used", there, used)
}

// TestScripts_HaveTheirMessages checks that a page contains exactly the messages that its
// scripts show.
func TestScripts_HaveTheirMessages(t *testing.T) {
	d := render(t, newPages(t), list())
	var carried []string
	for _, n := range d.all("p") {
		if id, ok := lookup(n, "data-text"); ok {
			carried = append(carried, id)
		}
	}
	said := idsIn(t, scriptID, "../static/*.js")
	compare(t, "said, not carried", said, carried)
	compare(t, "carried, not said", carried, said)
}

func readEnglish(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	names, err := filepath.Glob(english)
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string]json.RawMessage{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &messages); err != nil {
			t.Fatal(err)
		}
	}
	return messages
}

// idsIn returns the message ids in the sources that match the patterns.
func idsIn(t *testing.T, id *regexp.Regexp, patterns ...string) []string {
	t.Helper()
	var out []string
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: nothing there (%v)", pattern, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range id.FindAllStringSubmatch(string(content), -1) {
				out = append(out, match[1])
			}
		}
	}
	return out
}

func compare(t *testing.T, what string, some, all []string) {
	t.Helper()
	for _, id := range some {
		if !slices.Contains(all, id) {
			t.Errorf("%s: %s", what, id)
		}
	}
}

// One thing has one name.
func TestIdentityCheck_HasOneName(t *testing.T) {
	for id, text := range readEnglish(t) {
		if regexp.MustCompile(`^page\.(nav|verifications|verification-new)\b`).MatchString(id) && strings.Contains(strings.ToLower(string(text)), "verification") {
			t.Errorf("%s: %s", id, text)
		}
	}
}

// dangerFirst finds a dangerous button before the way back, in one line of buttons.
var dangerFirst = regexp.MustCompile(`(?s)<p class="actions">(?:[^<]|<[^/]|</[^p])*?button danger(?:[^<]|<[^/]|</[^p])*?page\.go-back`)

// The way back is always the first, the dangerous one the last.
func TestButtons_BackFirstDangerousLast(t *testing.T) {
	if !dangerFirst.MatchString(`<p class="actions"><button class="button danger">x</button> <a class="button">{{.T "page.go-back"}}</a></p>`) {
		t.Fatal("a dangerous button that comes first is not found")
	}
	for _, name := range templateFiles(t) {
		if content, err := os.ReadFile(name); err != nil || dangerFirst.Match(content) {
			t.Errorf("%s: %v %s", name, err, dangerFirst.Find(content))
		}
	}
}

// templateFiles returns the files of all pages and their parts.
func templateFiles(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.html", "parts/*.html"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		names = append(names, found...)
	}
	return names
}
