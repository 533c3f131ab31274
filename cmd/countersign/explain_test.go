package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/logtest"
)

// explained runs the command, with stdin for -.
func explained(t *testing.T, stdin string, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err logtest.Log
	status = command{stdin: strings.NewReader(stdin), stdout: &out, stderr: &err}.run(t.Context(), append([]string{"explain"}, arguments...))
	return status, out.String(), err.String()
}

func line(id string) string {
	return `{"msg":"request","id":"` + id + `","method":"GET","path":"/","route":"/","status":503,"key":"session.unavailable","cause":"dial tcp: connection refused"}` + "\n"
}

func TestExplain_Request(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "countersign.log")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, line("in-gzip"))
	_ = w.Close()
	for name, text := range map[string]string{
		file: line("newest"), file + ".1": line("rotated"), file + "-20300101.gz": zipped.String(), filepath.Join(folder, "countersign.logs"): line("beside"), filepath.Join(folder, "other.log"): line("-other"),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		stdin     string
		arguments []string
		status    int
	}{
		"a file": {"", []string{"newest", file}, 0}, "a rotated one": {"", []string{"rotated", file}, 0}, "a compressed one": {"", []string{"in-gzip", file}, 0},
		"another": {"", []string{"-other", file, filepath.Join(folder, "other.log")}, 0}, "standard input": {line("piped"), []string{"piped", "-"}, 0}, "no file": {line("piped"), []string{"piped"}, 0},
		"compressed input": {zipped.String(), []string{"in-gzip", "-"}, 0}, "after a file": {line("piped"), []string{"piped", file, "-"}, 0},
		"a file beside it": {"", []string{"beside", file}, 1}, "unknown": {line("piped"), []string{"unknown", file, "-"}, 1}, "no such file": {"", []string{"newest", file + "x"}, 1},
		"no number": {line("piped"), nil, 2}, "an empty one": {"", []string{"", file}, 2}, "two words": {"", []string{"a b", file}, 2}, "no number before -": {"", []string{"-"}, 2},
	} {
		status, out, err := explained(t, tc.stdin, tc.arguments...)
		if status != tc.status || (status == 0) != strings.Contains(out, "docs/runbooks/CountersignFailing.md") || (status == 0) != (err == "") {
			t.Errorf("%s: %d %q %q", name, status, out, err)
		}
		if status == 0 && !strings.HasPrefix(out, "Request "+tc.arguments[0]+"\n") {
			t.Errorf("%s: %q", name, out)
		}
	}
	if status, out, _ := explained(t, "", "--help"); status != 0 || !strings.Contains(out, "countersign explain REQUEST-ID") {
		t.Errorf("%d %q", status, out)
	}
}
