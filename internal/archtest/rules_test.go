package archtest_test

import (
	"fmt"
	"testing"
)

// rule is one rule of the repository.
type rule struct {
	name string
	why  string
	// check returns what breaks the rule, each as "path:line: what".
	check func([]file) []string
	// breaks are repositories that break the rule once each, keeps one that
	// comes close and does not.
	breaks [][]file
	keeps  []file
}

func rules() []rule {
	return []rule{
		layers, confinement,
		processOnlyInCmd, clockIsPassedIn, noSkippedTests, noSleepInTests,
		shortFiles, shortFunctions, documentedNames, documentedPackages,
		noMachinePaths, noMarks, topLevel,
	}
}

func TestTheRepositoryKeepsItsRules(t *testing.T) {
	files := repository(t)
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, finding := range r.check(files) {
				t.Errorf("%s\n\trule: %s\n\twhy:  %s", finding, r.name, r.why)
			}
		})
	}
}

func TestEveryRuleCanFail(t *testing.T) {
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			if r.why == "" || len(r.breaks) == 0 || len(r.keeps) == 0 {
				t.Fatal("a rule has its reason, examples that break it and one that keeps it")
			}
			for i, files := range r.breaks {
				if found := r.check(files); len(found) != 1 {
					t.Errorf("example %d (%s) breaks it once, found: %q", i, files[0].path, found)
				}
			}
			if found := r.check(r.keeps); len(found) != 0 {
				t.Errorf("the example that keeps it is refused: %q", found)
			}
		})
	}
}

func finding(f file, line int, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, line, fmt.Sprintf(format, args...))
}
