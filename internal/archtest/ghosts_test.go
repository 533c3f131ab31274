package archtest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A rule about a package that is not there protects nothing, and whoever reads
// it looks for the package in vain.
func TestTheRulesNameNoGhosts(t *testing.T) {
	for _, dir := range ghosts(repository(t)) {
		t.Errorf("%s has a place in archtest's lists and no code", dir)
	}
}

func TestAGhostIsFound(t *testing.T) {
	all := []file{example("web/a.go", `package web`)[0], example("session/a_test.go", `package session`)[0]}
	found := ghosts(all)
	if slices.Contains(found, "web") || !slices.Contains(found, "session") || !slices.Contains(found, "internal/sandbox/identity") {
		t.Errorf("the ghosts of a repository of web alone: %q", found)
	}
}

// ghosts are the directories that the rules name and that hold no Go file but
// tests, at any depth.
func ghosts(files []file) []string {
	named := slices.Concat(slices.Concat(house...), slices.Concat(slices.Collect(maps.Values(homes))...), slices.Collect(maps.Keys(outbuildings)))
	for _, dirs := range outbuildings {
		named = append(named, dirs...)
	}
	slices.Sort(named)
	return slices.DeleteFunc(slices.Compact(named), func(dir string) bool {
		return slices.ContainsFunc(files, func(f file) bool {
			return f.isGo() && !strings.HasSuffix(f.path, "_test.go") && f.in(dir)
		})
	})
}
