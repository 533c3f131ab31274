package pdf_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestMain(m *testing.M) {
	restrict()
	pdftest.Serve()
	os.Exit(m.Run())
}

// workers returns child processes with long time-outs, for tests that do not measure
// time.
func workers(t *testing.T) *pdf.Workers {
	t.Helper()
	w := pdf.NewWorkers(pdftest.Options())
	t.Cleanup(w.Close)
	return w
}

func refused(t *testing.T, err error, reason string) {
	t.Helper()
	var refusal *pdf.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != reason {
		t.Errorf("%v, want the refusal %q", err, reason)
	}
}

// A process that is idle long enough is ended, without a folder for machine code too.
func TestWorkers_IdleProcessEnded(t *testing.T) {
	options := pdftest.Options()
	options.Command, options.Cache = append(slices.Clip(options.Command), options.Cache), "" // which the processes alone know of
	options.Idle = time.Millisecond
	w := pdf.NewWorkers(options)
	t.Cleanup(w.Close)
	if _, err := w.Read(t.Context(), pdftest.Form(), nil); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); w.KillIdle() > 0; runtime.Gosched() {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("it is kept")
		}
	}
}

// A process ends with the one that started it, even while it compiles PDFium: its input ends
// then, and it is never ready.
func TestWorkers_ProcessEndsWithParent(t *testing.T) {
	command := pdftest.Options().Command
	child := exec.CommandContext(t.Context(), command[0], command[1:]...) // without a cache: compiling takes seconds
	out, err := child.Output()                                            // its input is empty
	if err != nil || len(out) > 0 {
		t.Fatalf("%d bytes, %v", len(out), err)
	}
}

// What a program left that was ended while it compiled PDFium, or that was of another version,
// does not keep the next one from compiling.
func TestPrepare_CutShort(t *testing.T) {
	if err := workers(t).Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := pdftest.Options()
	known := os.DirFS(o.Cache)
	o.Cache = filepath.Join(t.TempDir(), "cache")
	if err := errors.Join(pdf.PrepareCache(o.Cache), os.CopyFS(o.Cache, known)); err != nil {
		t.Fatal(err)
	}
	marks, err := filepath.Glob(filepath.Join(o.Cache, "compiled-*"))
	for _, mark := range marks {
		err = errors.Join(err, os.Remove(mark))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		w := pdf.NewWorkers(o)
		ended := w.Ended()
		if err := w.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got := len(ended()); got != want {
			t.Errorf("%d processes compiled PDFium, not %d", got, want)
		}
	}
}

// What ends a process while it is idle is no fault of the next file, and a file that makes
// processes crash is refused however many wait.
func TestWorkers_ProcessEndsWhileIdle(t *testing.T) {
	w := workers(t)
	for range 2 {
		if d, err := w.Read(t.Context(), pdftest.Form(), nil); err != nil || len(d.Fields) != 5 {
			t.Fatalf("%+v %v", d, err)
		}
		if n := w.KillIdle(); n != 1 {
			t.Fatalf("%d processes are idle", n)
		}
	}
	_, err := w.Read(t.Context(), []byte("hello"), nil)
	refused(t, err, damaged)
}
