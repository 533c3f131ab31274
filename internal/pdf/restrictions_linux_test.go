package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// noMachineCode is the first argument of a test program that takes from itself the right to
// make machine code, as MemoryDenyWriteExecute does, and becomes the program of the others.
const noMachineCode = "no-machine-code"

// killable is the first argument of a test program that is a worker which is killed when a
// file says so.
const killable = "killable"

// fatal is what such a file says.
const fatal = "\n% the end of the worker"

// killing is an input that kills the program which reads fatal.
type killing struct{ io.Reader }

func (k killing) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if bytes.Contains(p[:n], []byte(fatal)) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // else the test fails
	}
	return n, err
}

func restrict() {
	if len(os.Args) > 2 && os.Args[1] == killable {
		_ = pdf.Server{Exit: os.Exit}.WithArguments(os.Args[2:]).Serve(killing{os.Stdin}, os.Stdout) // it is killed
		os.Exit(1)
	}
	if len(os.Args) < 3 || os.Args[1] != noMachineCode {
		return
	}
	const setMDWE, refuse = 65, 1
	if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, setMDWE, refuse, 0); failed != 0 {
		fmt.Fprintln(os.Stderr, "the system cannot forbid machine code:", failed)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(os.Args[2], os.Args[2:], os.Environ()))
	os.Exit(1)
}

// A scan is drawn within the usual time limits, also where no machine code may be made.
func TestDraw_ScanWithinTimeLimits(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]struct {
		dpi    int
		change func(*pdf.Options)
	}{
		"compiled": {300, func(*pdf.Options) {}},
		// With the dots of a whole scan it takes 24 seconds of a processor, of the 33 that it has.
		"interpreted": {100, func(o *pdf.Options) { o.Command = append([]string{os.Args[0], noMachineCode}, o.Command...) }},
	} {
		w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Timeout = 0; how.change(o) }))
		picture, ok, err := w.Draw(t.Context(), pdftest.Scan(how.dpi), 0, 800)
		if err != nil || !ok || picture.Width != 800 || len(picture.PNG) < 10_000 {
			t.Errorf("%s: %v, %v, %d bytes", name, ok, err, len(picture.PNG))
		}
		w.Close()
	}
}

// Two hostile files at once stay within the memory that the least installation has: what a
// worker takes is bounded, whatever the file makes of its few bytes.
func TestWorkers_MemoryBounded(t *testing.T) {
	t.Parallel()
	w := pdf.NewWorkers(options(func(o *pdf.Options) { o.Processes = 2; o.Timeout = 0 }))
	ended := w.Ended()
	page := func(entries string, objects ...string) []byte {
		return pdftest.File(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]" + entries + ">>"}, objects...)...)
	}
	for name, file := range map[string][]byte{
		"a content": page("/Contents 4 0 R", repeated("", "q ", 64<<20)),
		"a path":    page("/Contents 4 0 R", repeated("", "0 0 m 9 9 l ", 64<<20)),
		"a text":    page("/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R", repeated("", "BT /F 9 Tf (abcdefgh) Tj ET ", 64<<20), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"),
		"a picture": page("/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R", content("600 0 0 700 0 0 cm /I Do"), deflated("/Type/XObject/Subtype/Image/Width 8000/Height 8000/BitsPerComponent 8/ColorSpace/DeviceRGB", 192<<20)),
		"a font":    page("/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R", content("BT /F 9 Tf (a) Tj ET"), "<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor 6 0 R>>", "<</Type/FontDescriptor/FontName/X/FontFile2 7 0 R>>", deflated("", 256<<20)),
		"an object stream": pdftest.File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/Contents 9 0 R>>",
			deflated("/Type/ObjStm/N 1/First 9", 256<<20)),
	} {
		var both sync.WaitGroup
		two := make(chan struct{}, 2) // a third would wait for a worker, and not forever
		for _, ask := range []func() error{
			func() error { _, _, err := w.Draw(t.Context(), file, 0, 1600); return err },
			func() error { _, _, err := w.Text(t.Context(), file, 0); return err },
			func() error { _, err := w.Search(t.Context(), file, "x"); return err },
		} {
			both.Go(func() {
				two <- struct{}{}
				defer func() { <-two }()
				if refusal, ok := errors.AsType[*pdf.Refusal](ask()); ok && refusal.Busy {
					t.Errorf("%s: %v", name, refusal)
				}
			})
		}
		both.Wait()
	}
	w.Close()
	if len(ended()) == 0 {
		t.Error("no worker ended")
	}
	for _, one := range ended() {
		if kib := one.SysUsage().(*syscall.Rusage).Maxrss; kib<<10 > memoryTimes*pdf.MostMemory {
			t.Errorf("a worker took %d MiB", kib>>10)
		}
	}
}

// The number of workers follows the memory that there is.
func TestWorkers_NumberFollowsMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"no bound":            {map[string]string{"proc/self/cgroup": "0::/\n"}, 2},
		"no control groups":   {nil, 2},
		"a bound of its own":  {map[string]string{"proc/self/cgroup": "0::/system.slice/countersign.service\n", "sys/fs/cgroup/system.slice/countersign.service/memory.max": "536870912\n"}, 1},
		"a bound above":       {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "536870912\n"}, 1},
		"in a container":      {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n"}, 1},
		"a gigabyte":          {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, 2},
		"the first version":   {map[string]string{"proc/self/cgroup": "5:cpu:/\n4:memory:/docker/x\n", "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "536870912\n"}, 1},
		"the first, no bound": {map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 2},
	} {
		machine := fstest.MapFS{}
		for file, text := range c.files {
			machine[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := pdf.ProcessesOn(machine); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// A process that is killed while it reads is told as such, and the file may be read again.
func TestWorkers_ProcessKilledWhileReading(t *testing.T) {
	var log strings.Builder
	w := pdf.NewWorkers(options(func(o *pdf.Options) {
		o.Command, o.Logger = []string{os.Args[0], killable}, slog.New(slog.NewTextHandler(&log, nil))
	}))
	t.Cleanup(w.Close)
	_, err := w.Read(t.Context(), append(pdftest.Form(), strings.Repeat(fatal, 10)...), nil)
	if refusal, ok := errors.AsType[*pdf.Refusal](err); !ok || !refusal.Busy {
		t.Errorf("%v does not say that it may be tried again", err)
	}
	if !strings.Contains(log.String(), "level=WARN msg=\"pdf worker killed while reading a file\"") {
		t.Errorf("the log says %q", log.String())
	}
	if _, err := w.Read(context.Background(), pdftest.Form(), nil); err != nil {
		t.Error(err)
	}
}
