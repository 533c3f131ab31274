package archtest_test

import (
	"regexp"
	"strings"
	"testing"
)

// One example of each thing that is often added stands in no more files than CONTRIBUTING.md
// lists. Tests, but for the table of permissions, and what is written from code do not count.
func TestAdditions_Files(t *testing.T) {
	all := repository(t)
	for _, one := range []struct {
		what    string
		named   *regexp.Regexp
		atMost  int
		example string
	}{
		{"setting", regexp.MustCompile(`HELP_URL|HelpURL`), 3, "COUNTERSIGN_HELP_URL"},
		{"error", regexp.MustCompile(`RequestUploads|request\.uploads`), 7, "request.uploads"},
		{"signing operation", regexp.MustCompile(`getEvidenceSummary`), 5, "getEvidenceSummary"},
		{"page", regexp.MustCompile(`deletePackagesPage\b|"package-delete"|page\.delete\.`), 8, "/packages/delete"},
	} {
		var found []string
		for _, f := range all {
			if f.tracked && isAdded(f.path) && one.named.MatchString(f.text) {
				found = append(found, f.path)
			}
		}
		if len(found) > one.atMost || len(found) == 0 {
			t.Errorf("the %s %s is in %d files, want %d:\n%s", one.what, one.example, len(found), one.atMost, strings.Join(found, "\n"))
		}
	}
}

// isAdded reports whether somebody who adds something edits the file by hand.
func isAdded(path string) bool {
	switch {
	case path == "internal/e2e/signing/verdict_test.go":
		return true
	case strings.HasPrefix(path, "docs/"), strings.HasPrefix(path, "examples/"), strings.Contains(path, "testdata/"), strings.HasSuffix(path, "_test.go"):
		return false
	}
	return strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".html")
}
