package archtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	assumption = regexp.MustCompile(`(?m)^\| ([IUSV]\d+) \|.* \| (.*) \| .* \|$`)
	number     = regexp.MustCompile(`[IUSV]\d+`)
	cited      = regexp.MustCompile(`docs/platform\.md(?:\n\s*//)? ((?:[IUSV]\d+(?:, )?)+)`) // a line may end after the file
	triedCase  = regexp.MustCompile(`name: "([^"]*)"(?:, fact: "([^"]*)")?`)
	quotedCase = regexp.MustCompile(`"([^"]+)"`)
)

// Every number of docs/platform.md cited in code is defined there, and every assumption is
// cited by code. The document names cases of countersign conformance, and where a case
// names its assumptions, each names the case.
func TestAssumptionsAboutThePlatform(t *testing.T) {
	cases, uncited := assumptions(t), map[string]bool{}
	for number := range cases {
		uncited[number] = true
	}
	tried := map[string]bool{}
	for _, file := range goFiles(t) {
		for _, match := range cited.FindAllStringSubmatch(file.text, -1) {
			for _, number := range numbersIn(match[1]) {
				if _, ok := cases[number]; !ok {
					t.Errorf("%s cites %s, which docs/platform.md does not have", file.path, number)
				}
				delete(uncited, number)
			}
		}
		if !strings.Contains(file.path, "internal/conformance/") {
			continue
		}
		for _, match := range triedCase.FindAllStringSubmatch(file.text, -1) {
			tried[match[1]] = true
			for _, number := range numbersIn(match[2]) {
				if !slices.Contains(cases[number], match[1]) {
					t.Errorf("the case %q tries %s, which does not name it in docs/platform.md", match[1], number)
				}
			}
		}
	}
	for number := range uncited {
		t.Errorf("no comment cites %s of docs/platform.md", number)
	}
	for number, names := range cases {
		for _, name := range names {
			if !tried[name] {
				t.Errorf("%s of docs/platform.md names the case %q, which there is not", number, name)
			}
		}
	}
}

// assumptions returns the numbers of docs/platform.md, each with the cases that try it.
func assumptions(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/platform.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]string{}
	for _, row := range assumption.FindAllStringSubmatch(string(text), -1) {
		if _, ok := cases[row[1]]; ok {
			t.Errorf("%s stands twice", row[1])
		}
		cases[row[1]] = []string{}
		for _, one := range quotedCase.FindAllStringSubmatch(row[2], -1) {
			cases[row[1]] = append(cases[row[1]], one[1])
		}
	}
	if len(cases) < 30 {
		t.Fatalf("%d assumptions", len(cases))
	}
	return cases
}

// numbersIn splits a list of numbers.
func numbersIn(list string) []string { return number.FindAllString(list, -1) }

type goFile struct{ path, text string }

// goFiles returns the Go files of the repository except this one.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "archtest/platform_test.go") {
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
