package archtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// history makes a repository with the scripts of .ci, whose first commit has an old subject and
// whose second brings the check.
func history(t *testing.T) (top string, git func(arguments ...string)) {
	t.Helper()
	top = t.TempDir()
	git = func(arguments ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "-C", top}, arguments...)...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", arguments, err, out)
		}
	}
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "-m", "Tell of whatever came before.")
	if err := os.CopyFS(filepath.Join(top, ".ci"), os.DirFS("../../.ci")); err != nil {
		t.Fatal(err)
	}
	git("add", "--all")
	git("commit", "--quiet", "-m", "The commit that brings the check, in no form at all")
	return top, git
}

// subjects runs the check of commits and reports whether it passed.
func subjects(t *testing.T, top string) (passed bool, out string) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "bash", filepath.Join(top, ".ci", "commits")).CombinedOutput()
	return err == nil, string(text)
}

// Each subject after the commit that brought the check has a type and at most 60 characters.
func TestCommitSubjects_TypeAndLength(t *testing.T) {
	for subject, want := range map[string]bool{
		"fix(web): reject HTML responses":          true,
		"docs: name who acts":                      true,
		"refactor(internal/pdf): split the worker": true,
		"test: " + strings.Repeat("ä", 53) + "a":   false, // a verb begins with a letter of ASCII
		"test: a" + strings.Repeat("ä", 52) + "z":  true,
		"test: a" + strings.Repeat("ä", 53) + "z":  false,
		"Refuse a response from another origin":    false,
		"fix: Reject HTML responses":               false,
		"fix: reject HTML responses.":              false,
		"fix(Web): reject HTML responses":          false,
		"feature: add a page":                      false,
		"fix:reject HTML responses":                false,
		"wip":                                      false,
	} {
		top, git := history(t)
		git("commit", "--quiet", "--allow-empty", "-m", subject, "-m", "Body: anything. And more.")
		if passed, out := subjects(t, top); passed != want || !passed != strings.Contains(out, subject) {
			t.Errorf("%q: passed %t, want %t\n%s", subject, passed, want, out)
		}
	}
}

// Merges are named by git, and commits before the check are left alone.
func TestCommitSubjects_MergesAndEarlierCommits(t *testing.T) {
	top, git := history(t)
	git("checkout", "--quiet", "-b", "side")
	git("commit", "--quiet", "--allow-empty", "-m", "docs: add a page")
	git("checkout", "--quiet", "-")
	git("commit", "--quiet", "--allow-empty", "-m", "docs: add another page")
	git("merge", "--quiet", "--no-edit", "side")
	if passed, out := subjects(t, top); !passed || !strings.Contains(out, "2 of 2 subjects") {
		t.Errorf("passed %t: %s", passed, out)
	}
}

// Without a history, or with a part of it, the check says that it did not look.
func TestCommitSubjects_WithoutHistory(t *testing.T) {
	commands := map[string]string{"make": "exit 0", "go": "exit 0", "node": "exit 0", "npm": "exit 0"}
	if last, exit := ci(t, "check", commands); last != "8 passed, 0 failed, 2 skipped" || exit != 0 {
		t.Errorf("no history: %q, exit %d", last, exit)
	}
	commands["git"] = "echo true"
	if last, exit := ci(t, "check", commands); last != "8 passed, 0 failed, 2 skipped" || exit != 0 {
		t.Errorf("a shallow clone: %q, exit %d", last, exit)
	}
	commands["git"] = "echo false"
	if last, exit := ci(t, "check", commands); last != "9 passed, 0 failed, 1 skipped" || exit != 0 {
		t.Errorf("a whole history: %q, exit %d", last, exit)
	}
}
