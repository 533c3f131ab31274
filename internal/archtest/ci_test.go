package archtest_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ci runs a script of .ci on its own, with these commands before all others, each the text of
// a shell script.
func ci(t *testing.T, script string, commands map[string]string, arguments ...string) (last string, exit int) {
	t.Helper()
	top := t.TempDir()
	if err := os.CopyFS(filepath.Join(top, ".ci"), os.DirFS("../../.ci")); err != nil {
		t.Fatal(err)
	}
	for name, text := range commands {
		if err := os.WriteFile(filepath.Join(top, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "bash", append([]string{filepath.Join(top, ".ci", script)}, arguments...)...)
	command.Env = append(os.Environ(), "PATH="+top+":"+os.Getenv("PATH"))
	out, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		exit = failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	return lines[len(lines)-1], exit
}

// The last line for a build server is the sum of what the tests and the checks count, and a
// failure of either fails.
func TestSummary_LastLine(t *testing.T) {
	for _, tc := range []struct {
		tests, checks, last string
		exit                int
	}{
		{"echo 40 passed, 0 failed", "echo 6 passed, 0 failed", "46 passed, 0 failed", 0},
		{"echo 40 passed, 0 failed, 2 skipped", "echo 5 passed, 0 failed, 1 skipped", "45 passed, 0 failed, 3 skipped", 0},
		{"echo 39 passed, 1 failed; exit 1", "echo 6 passed, 0 failed", "45 passed, 1 failed", 1},
		{"echo 40 passed, 0 failed", "echo 4 passed, 2 failed; exit 1", "44 passed, 2 failed", 1},
		{"echo 40 passed, 0 failed; exit 1", "echo 6 passed, 0 failed", "46 passed, 1 failed", 1},
		{"echo 40 passed; exit 2", "echo 6 passed, 0 failed", "6 passed, 1 failed", 1},
		{"echo 1 passed, 0 failed; echo 40 passed, 0 failed; echo done", "true", "40 passed, 1 failed", 1},
	} {
		make := "case $2 in test) " + tc.tests + ";; check) " + tc.checks + ";; *) exit 3;; esac"
		if last, exit := ci(t, "run", map[string]string{"make": make}); last != tc.last || exit != tc.exit {
			t.Errorf("%q and %q: %q, exit %d, want %q, %d", tc.tests, tc.checks, last, exit, tc.last, tc.exit)
		}
	}
}

// A vulnerability that is reached and has a fix fails; so does a scan that does not come to
// its end.
func TestVulnerabilities_WithFixFail(t *testing.T) {
	const reached = "=== Symbol Results ===\n\nVulnerability #1: GO-0000-0001\n  Module: example.com/m\n    Found in: example.com/m@v1.0.0\n    Fixed in: "
	for name, tc := range map[string]struct {
		scan string
		exit int
	}{
		"nothing":                    {"echo No vulnerabilities found.", 0},
		"without a fix":              {"printf '" + reached + "N/A\n'; exit 3", 0},
		"with a fix":                 {"printf '" + reached + "example.com/m@v1.0.1\n'; exit 3", 1},
		"one with, one without":      {"printf '" + reached + "N/A\n" + reached + "net/http@go1.99\n'; exit 3", 1},
		"packages that do not load":  {"echo errors; exit 1", 1},
		"a database without content": {"echo no such file; exit 2", 2},
	} {
		goTool := `case $1 in
install) printf '#!/bin/sh\n%s\n' "$SCAN" >"$GOBIN/govulncheck"; chmod +x "$GOBIN/govulncheck";;
mod) printf '{\n\t"Path": "x",\n\t"Dir": "/nowhere"\n}\n';;
run) [ "$*" = "run example.com/db/cmd/indexdb@v2 -vulns /nowhere/data/osv -out $6" ];;
*) exit 3;;
esac`
		t.Setenv("SCAN", tc.scan)
		if last, exit := ci(t, "vulnerabilities", map[string]string{"go": goTool}, "example.com/scan@v1", "example.com/db@v2"); exit != tc.exit {
			t.Errorf("%s: exit %d, want %d: %s", name, exit, tc.exit, last)
		}
	}
}

// The image is built by the Go that builds releases: another one would be fetched there, or
// not be found.
func TestImage_BuiltByReleaseGo(t *testing.T) {
	version := func(name, pattern string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s names no Go", name)
		}
		return string(found[1])
	}
	image, release := version("Dockerfile", `(?m)^FROM golang:(\S+) AS build$`), version("go.mod", `(?m)^toolchain go(\S+)$`)
	if image != release {
		t.Errorf("the image is built by Go %s, releases by %s", image, release)
	}
}

// What is missing is installed, each that some distributions lack on its own; what cannot be is
// said, and the tests go on without.
func TestPreparation_InstallsMissingTools(t *testing.T) {
	alone := t.TempDir()
	for _, tool := range []string{"bash", "sh", "env"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(alone, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", alone)
	log := filepath.Join(alone, "log")
	t.Setenv("LOG", log)
	const logs = `echo "$@" >>"$LOG"; `
	for name, tc := range map[string]struct {
		apt       string
		there     []string
		installed string
	}{
		"nothing is missing": {logs, []string{"redis-server", "chromium-headless-shell", "chromium", "pdftotext", "promtool"}, ""},
		"the whole Chromium": {logs, []string{"redis-server", "chromium-headless-shell", "pdftotext", "promtool"}, "chromium"},
		"both, and a reader": {logs, []string{"redis-server", "promtool"}, "chromium-headless-shell poppler-utils; chromium"},
		"no such package":    {logs + "exit 100", []string{"redis-server", "chromium-headless-shell", "pdftotext", "promtool"}, "chromium"},
	} {
		commands := map[string]string{"apt-get": tc.apt, "gcc": "read -r line", "id": "echo 0"}
		for _, one := range tc.there {
			commands[one] = "exit 0"
		}
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, exit := ci(t, "prepare", commands)
		said, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var installed []string
		for line := range strings.Lines(string(said)) {
			if _, packages, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "--no-install-recommends "); ok {
				installed = append(installed, packages)
			}
		}
		if got := strings.Join(installed, "; "); got != tc.installed || exit != 0 {
			t.Errorf("%s: installed %q, exit %d", name, got, exit)
		}
	}
}
