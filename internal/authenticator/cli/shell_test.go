package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/authenticator/cli"
)

// shell is a person's terminal with a key file of its own.
type shell struct {
	t       *testing.T
	url     string
	store   string
	environ []string
}

func newShell(t *testing.T, url string) *shell {
	t.Helper()
	return &shell{t: t, url: url, store: filepath.Join(t.TempDir(), "of", "keys.json")}
}

// output is the result of a command.
type output struct {
	t         *testing.T
	what      string
	code      int
	out, errs string
}

// authenticator runs countersign authenticator.
func (s *shell) authenticator(command string, args ...string) output {
	s.t.Helper()
	all := []string{"authenticator", command, "--store", s.store}
	if command != "list" && command != "metadata" {
		all = append(all, "--url", s.url)
	}
	return s.run(append(all, args...)...)
}

func (s *shell) run(args ...string) output {
	s.t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(s.t.Context(), args[1:], cli.Options{
		Environ: s.environ, Stdin: os.Stdin, Stdout: &out, Stderr: &errs, DemoPassword: "Sandbox-1!", Now: time.Now,
	})
	return output{s.t, strings.Join(args, " "), code, out.String(), errs.String()}
}

// exits ends the test unless the command ended with this code and these texts in its
// output.
func (o output) exits(code int, said ...string) output {
	o.t.Helper()
	if o.code != code || (code == 0) != (o.errs == "") {
		o.t.Fatalf("%s: exit %d, want %d\n%s%s", o.what, o.code, code, o.out, o.errs)
	}
	for _, words := range said {
		if !strings.Contains(o.out+o.errs, words) {
			o.t.Errorf("%s: no %q in\n%s%s", o.what, words, o.out, o.errs)
		}
	}
	return o
}

// keys returns the ids that list shows.
func (s *shell) keys() []string {
	s.t.Helper()
	var found []string
	for i, line := range strings.Split(strings.TrimSpace(s.authenticator("list").exits(0).out), "\n") {
		if i > 0 {
			found = append(found, strings.Fields(line)[0])
		}
	}
	return found
}
