package archtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	assumption = regexp.MustCompile(`(?m)^\| ([IUSV]\d+) \|.*\| (.*) \|$`)
	cited      = regexp.MustCompile(`docs/platform\.md ((?:[IUSV]\d+(?:, )?)+)`)
	caseFact   = regexp.MustCompile(`fact: "([^"]*)"`)
	caseName   = regexp.MustCompile(`name: "([^"]*)"`)
	quotedCase = regexp.MustCompile(`"([^"]+)"`)
)

// Every number of docs/platform.md cited in code is defined there, and the cases that the
// document names are cases of countersign conformance.
func TestAssumptionsAboutThePlatform(t *testing.T) {
	text, err := os.ReadFile("../../docs/platform.md")
	if err != nil {
		t.Fatal(err)
	}
	known, named := map[string]bool{}, map[string]bool{}
	for _, row := range assumption.FindAllStringSubmatch(string(text), -1) {
		if known[row[1]] {
			t.Errorf("%s stands twice", row[1])
		}
		known[row[1]] = true
		for _, one := range quotedCase.FindAllStringSubmatch(row[2], -1) {
			named[one[1]] = true
		}
	}
	if len(known) < 30 {
		t.Fatalf("%d assumptions", len(known))
	}
	for _, file := range goFiles(t) {
		for _, pattern := range []*regexp.Regexp{cited, caseFact} {
			for _, match := range pattern.FindAllStringSubmatch(file.text, -1) {
				for number := range strings.SplitSeq(strings.TrimSuffix(match[1], ", "), ", ") {
					if !known[number] {
						t.Errorf("%s cites %s, which docs/platform.md does not have", file.path, number)
					}
				}
			}
		}
		if strings.Contains(file.path, "internal/conformance/") {
			for _, match := range caseName.FindAllStringSubmatch(file.text, -1) {
				delete(named, match[1])
			}
		}
	}
	for name := range named {
		t.Errorf("docs/platform.md names the case %q, which there is not", name)
	}
}

type goFile struct{ path, text string }

// goFiles returns the Go files of the repository except this one.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "platform_test.go") && strings.Contains(path, "archtest") {
			return err
		}
		text, err := os.ReadFile(path)
		files = append(files, goFile{path, string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
