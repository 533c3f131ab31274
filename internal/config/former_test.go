package config_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
)

// replacements returns the rows of docs/upgrading.md: a setting of an earlier version,
// and the ones that replace it.
func replacements(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/upgrading.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(COUNTERSIGN_[A-Z0-9_]+)` \\| (.+) \\|$").FindAllStringSubmatch(string(text), -1) {
		for _, named := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			rows[row[1]] = append(rows[row[1]], named[1])
		}
	}
	return rows
}

// A setting of an earlier version stops the start with the text of the document; so does
// its _FILE. An empty one counts as unset.
func TestOldNamesSayTheNewOnes(t *testing.T) {
	rows := replacements(t)
	for old := range config.FormerSettings {
		replaced := rows[config.Prefix+old]
		delete(rows, config.Prefix+old)
		if len(replaced) == 0 {
			t.Errorf("docs/upgrading.md has no row for %s", old)
		}
		for _, name := range []string{old, old + "_FILE"} {
			wantProblem(t, name, name+"=x")
			for _, now := range replaced {
				if got := problems(t, name+"=x")[0]; !strings.Contains(got, now) {
					t.Errorf("%q does not name %s", got, now)
				}
			}
			if c := mustLoad(t, name+"="); len(c.Warnings) != 0 {
				t.Errorf("%s is empty, and yet: %q", name, c.Warnings)
			}
		}
	}
	for name := range rows {
		t.Errorf("docs/upgrading.md says that %s is gone", name)
	}
}

// No current setting is listed as an old one.
func TestNoSettingIsOld(t *testing.T) {
	for _, s := range mustLoad(t).Redacted() {
		if _, old := config.FormerSettings[strings.TrimPrefix(s.Name, config.Prefix)]; old {
			t.Errorf("%s is both", s.Name)
		}
	}
}

func TestOldNamesAreReportedAtOnce(t *testing.T) {
	got := problems(t, "VERIFICATION_ERASURE=starter", "VERIFICATION_CREATORS=operators", "PLATFORM_PATHS_LOGIN=/x", "ADDR=nowhere")
	if len(got) != 4 || !slices.IsSorted(got) {
		t.Errorf("every problem at once, not %q", got)
	}
}

func TestNewNamesOfVerification(t *testing.T) {
	c := mustLoad(t, "IDV_CREATORS=operators", "IDV_ERASURE=starter")
	if !c.IDV.OperatorsCreate() || !c.IDV.StarterErases() {
		t.Errorf("%+v", c.IDV)
	}
	wantProblem(t, "IDV_CREATORS", "IDV_CREATORS=starter")
	wantProblem(t, "IDV_ERASURE", "IDV_ERASURE=everybody")
}
