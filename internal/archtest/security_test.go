package archtest_test

import (
	"regexp"
	"strings"
	"testing"
)

// The defences of docs/security.md are shown by tests that exist.
func TestSecurity_NamedTests(t *testing.T) {
	t.Parallel()
	exists := map[string]bool{}
	document := ""
	for _, f := range repository(t) {
		switch {
		case strings.HasSuffix(f.path, "_test.go"):
			for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(f.text, -1) {
				exists[found[1]] = true
			}
		case f.path == "docs/security.md":
			document = f.text
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(document, -1)
	if len(named) < 40 {
		t.Errorf("%d tests are named", len(named))
	}
	for _, one := range named {
		if !exists[one[1]] {
			t.Errorf("docs/security.md: there is no %s", one[1])
		}
	}
}
