package packages_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// spooled counts the open files of this process that had a name in dir and have none any
// more. Their room on the disk is free once none is open.
func spooled(t *testing.T, dir string) (n int) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal("nothing tells which files are open:", err)
	}
	for _, one := range open {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", one.Name())); err == nil && strings.HasPrefix(to, dir+"/") && strings.HasSuffix(to, " (deleted)") {
			n++
		}
	}
	return n
}

// However an upload ends, the room of its spooled file is free then.
func TestTheSpoolIsFreed(t *testing.T) {
	dir := t.TempDir()
	app, clock := e2etest.BootWithClock(t, "SESSION_IDLE=12h", "MAX_UPLOAD=1MiB", "SPOOL_DIR="+dir)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	file := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n" + blank + strings.Repeat(" ", 300<<10)
	payload := func(text string) string {
		return "\r\n--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n" + text + "\r\n--x--\r\n"
	}
	ends := func(tail string) func(*flow) {
		return func(f *flow) {
			_, _ = io.WriteString(f, tail) // it may be answered before its end
			f.Close()
		}
	}
	for name, test := range map[string]struct {
		end  func(*flow)
		want int
	}{
		"made":      {ends(payload(`{"name":"a","documents":[{"id":"a","name":"A"}]}`)), http.StatusOK},
		"refused":   {ends(payload(`{"name":7}`)), http.StatusBadRequest},
		"broken":    {ends(payload(`{`)), http.StatusBadRequest},
		"cut":       {ends(""), http.StatusBadRequest},
		"too large": {ends(strings.Repeat(" ", 1<<20)), http.StatusRequestEntityTooLarge},
		"left":      {func(f *flow) { f.CloseWithError(io.ErrUnexpectedEOF) }, 0},
		"too slow": {func(f *flow) {
			e2etest.Eventually(t, "it ends", func() bool {
				clock.Advance(31 * time.Second)
				_, err := io.WriteString(f, " ")
				return err != nil || len(f.answer) > 0
			})
		}, http.StatusRequestTimeout},
	} {
		f := begin(t, alice, "/api/packages", inParts, file)
		e2etest.Eventually(t, name+": the file is on the disk", func() bool { return spooled(t, dir) == 1 })
		test.end(f)
		if got := <-f.answer; got.status != test.want {
			t.Errorf("%s: answered %v, want %d", name, got, test.want)
		}
		e2etest.Eventually(t, name+": its room is free", func() bool { return spooled(t, dir) == 0 })
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: the spool has %v, %v", name, left, err)
		}
	}
}
