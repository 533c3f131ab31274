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
	assumption = regexp.MustCompile(`(?m)^\| ([IUSV]\d+)(\*?) \|`)
	number     = regexp.MustCompile(`[IUSV]\d+`)
	cited      = regexp.MustCompile(`docs/platform\.md(?:\n\s*//)? ((?:[IUSV]\d+(?:, )?)+)`) // a line may end after the file
	triedCase  = regexp.MustCompile(`name: "[^"]*", fact: "([^"]*)"`)
)

// Every number of docs/platform.md cited in code is defined there, and every assumption is
// cited by code. Cases of countersign conformance name the assumptions that they try; the
// document marks those that no case tries.
func TestAssumptions_DefinedAndCited(t *testing.T) {
	untried, uncited := assumptions(t), map[string]bool{}
	for number := range untried {
		uncited[number] = true
	}
	tried := map[string]bool{}
	for _, file := range goFiles(t) {
		for _, match := range cited.FindAllStringSubmatch(file.text, -1) {
			for _, number := range numbersIn(match[1]) {
				if _, ok := untried[number]; !ok {
					t.Errorf("%s cites %s, which docs/platform.md does not have", file.path, number)
				}
				delete(uncited, number)
			}
		}
		if !strings.Contains(file.path, "internal/conformance/") {
			continue
		}
		for _, match := range triedCase.FindAllStringSubmatch(file.text, -1) {
			for _, number := range numbersIn(match[1]) {
				tried[number] = true
				if _, ok := untried[number]; !ok {
					t.Errorf("%s tries %s, which docs/platform.md does not have", file.path, number)
				}
			}
		}
	}
	for number := range uncited {
		t.Errorf("no comment cites %s of docs/platform.md", number)
	}
	for number, marked := range untried {
		if marked == tried[number] {
			t.Errorf("%s of docs/platform.md: tried by a case: %t, marked as untried: %t", number, tried[number], marked)
		}
	}
}

// assumptions returns the numbers of docs/platform.md, and whether each is marked as one that
// no case tries.
func assumptions(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/platform.md")
	if err != nil {
		t.Fatal(err)
	}
	untried := map[string]bool{}
	for _, row := range assumption.FindAllStringSubmatch(string(text), -1) {
		if _, ok := untried[row[1]]; ok {
			t.Errorf("%s stands twice", row[1])
		}
		untried[row[1]] = row[2] != ""
	}
	if len(untried) < 30 {
		t.Fatalf("%d assumptions", len(untried))
	}
	return untried
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
