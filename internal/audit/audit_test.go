package audit_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/internal/audit"
	"countersign/internal/seal/sealtest"
)

// full is a disk that takes only part of a line, or nothing.
type full struct {
	room int
	err  error
}

func (f full) Write([]byte) (int, error) { return f.room, f.err }

// key returns a session key made of this byte.
func key(b byte) []byte { return append(bytes.Repeat([]byte{b}, 31), 1) }

// trailOf makes a Trail and fills in the options that the test leaves out.
func trailOf(t *testing.T, o audit.Options) *audit.Trail {
	t.Helper()
	if o.Observe == nil {
		o.Observe = func(audit.Event) {}
	}
	if len(o.Keys.Each()) == 0 {
		o.Keys = sealtest.Keys(key(1))
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return audit.New(o)
}

func TestTrail_UnwritableEventGoesToLog(t *testing.T) {
	for _, disk := range []full{{err: errors.New("no space left")}, {room: 3}} {
		var log bytes.Buffer
		lost, seen := 0, 0
		trail := trailOf(t, audit.Options{
			Log: disk, Observe: func(audit.Event) { seen++ }, Lost: func() { lost++ },
			Logger: slog.New(slog.NewJSONHandler(&log, nil)),
		})
		trail.Record(t.Context(), audit.Event{Kind: audit.AuthenticatorRemoved, Person: "alice@sandbox", Subject: "key-1"})
		for _, part := range []string{`"level":"ERROR"`, `"msg":"audit event not written"`, `"event":"authenticator.removed"`, `"person":"alice@sandbox"`, `"subject":"key-1"`} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%+v: the log lacks %s: %s", disk, part, log.String())
			}
		}
		if lost != 1 || seen != 1 {
			t.Errorf("%+v: lost %d, seen %d", disk, lost, seen)
		}
	}
}

// One event is one line of bounded length, whatever the client's headers hold.
func TestTrail_ClientHeadersBounded(t *testing.T) {
	var out bytes.Buffer
	trail := trailOf(t, audit.Options{Log: &out})
	trail.Record(t.Context(), audit.Event{Kind: audit.SignedIn, Device: strings.Repeat("é", 100) + "\n{}", Subject: strings.Repeat("x", 1000)})
	trail.Record(t.Context(), audit.Event{Kind: audit.SignedOut, Device: "a\nb\x80"})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 || len(lines[0]) > 700 || !utf8.ValidString(out.String()) {
		t.Errorf("%d lines: %s", len(lines), out.String())
	}
}

// A line that broke off, as on a full disk or at the end of a machine, spoils no other.
func TestTrail_LineBrokenOff(t *testing.T) {
	for before, want := range map[string]string{"": "", "{}\n": "{}\n", `{"event":"si`: `{"event":"si` + "\n", "{}\n{": "{}\n{\n"} {
		name := filepath.Join(t.TempDir(), "audit.log")
		if err := os.WriteFile(name, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := audit.OpenFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"one\n", "tw", "three\n", "four\n"} {
			if n, err := file.Write([]byte(line)); n != len(line) || err != nil {
				t.Errorf("%q: %d, %v", line, n, err)
			}
		}
		if got, _ := os.ReadFile(name); string(got) != want+"one\ntw\nthree\nfour\n" {
			t.Errorf("after %q: %q", before, got)
		}
		_ = file.Close()
	}
}

// When the log file is renamed, a new one is opened under its name; the old content
// stays.
func TestTrail_FileRenamed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	f, err := audit.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(line string) {
		t.Helper()
		if _, err := f.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%s holds %q, want %q: %v", filepath.Base(name), text, want, err)
		}
	}
	write("one\n")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	write("two\n")
	write("three\n")
	holds(name+".1", "one\n")
	holds(name, "two\nthree\n")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	write("four\n")
	holds(name, "four\n")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if _, err := audit.OpenFile(filepath.Join(name, "below")); err == nil {
		t.Error("a file below a file was opened")
	}
}
