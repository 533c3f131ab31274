package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
)

// Lines of the log wait a tenth of a second for a reader that has stopped, all of them
// together; then they are lost, and counted. Once the reader goes on, it gets whole lines.
func TestOutput_ReaderStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		log := app.NewLog(config.Log{Format: "text"}, app.NewOutput(writer, time.Now))
		begin := time.Now()
		var wait sync.WaitGroup
		const writers, each = 20, 500
		for i := range writers {
			wait.Go(func() {
				for k := range each {
					log.Info("line", "number", fmt.Sprintf("%d-%d", i, k), "long", strings.Repeat("x", 100))
				}
				log.Error("broken")
			})
		}
		wait.Wait()
		if took := time.Since(begin); took > 100*time.Millisecond {
			t.Errorf("lines waited %v", took)
		}
		begin = time.Now()
		log.Error("broken")
		log.Flush()
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the end took %v", took)
		}
		lost := log.Lost()
		read := make(chan string)
		go func() {
			all, _ := io.ReadAll(reader)
			read <- string(all)
		}()
		synctest.Wait() // what was under way is written
		log.Info("again")
		log.Flush()
		writer.Close()
		text := <-read
		if got := int64(strings.Count(text, "\n")); got+lost != writers*(each+1)+2 || lost == 0 || log.Lost() != lost {
			t.Errorf("%d lines were read, %d lost, of %d; later %d", got, lost, writers*(each+1)+2, log.Lost())
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "time=") || !strings.HasSuffix(line, "\n") || strings.Count(line, "msg=") != 1 {
				t.Fatalf("a broken line: %q", line)
			}
		}
		if !strings.Contains(text, "msg=again") {
			t.Error("the log does not go on")
		}
	})
}

// Lines of a log that nobody can read any more are counted as lost.
func TestOutput_ReaderGone(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close()
	log := app.NewLog(config.Log{Format: "text"}, app.NewOutput(writer, time.Now))
	for range 10 {
		log.Info("line")
	}
	log.Error("broken")
	if lost := log.Lost(); lost != 11 {
		t.Errorf("%d lines of 11 are lost", lost)
	}
}

// A write that needs an answer, such as an event of the audit trail, has an error once its
// time is over; while the reader stays away, the next ones fail at once.
func TestOutput_WriteTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		out := app.NewOutput(writer, time.Now).Within(time.Second, nil)
		took := func(want time.Duration, fails bool, line string) {
			t.Helper()
			begin := time.Now()
			n, err := out.Write([]byte(line))
			if waited := time.Since(begin); waited != want || fails != (err != nil) || !fails && n != len(line) {
				t.Errorf("%q waited %v: %d, %v", line, waited, n, err)
			}
		}
		read := func(want string) {
			t.Helper()
			line := make([]byte, len(want))
			if _, err := io.ReadFull(reader, line); err != nil || string(line) != want {
				t.Errorf("%q was read, want %q: %v", line, want, err)
			}
			synctest.Wait()
		}
		go read("one\n")
		took(0, false, "one\n")
		took(time.Second, true, "two\n")
		for range 3 {
			took(0, true, "three\n")
		}
		read("two\n") // it was under way
		took(time.Second, true, "four\n")
		read("four\n")
		go read("five\n")
		took(0, false, "five\n")
	})
}

// short takes only a part of the first write.
type short struct {
	bytes.Buffer
	failed bool
}

func (s *short) Write(p []byte) (int, error) {
	if s.failed {
		return s.Buffer.Write(p)
	}
	s.failed = true
	n, _ := s.Buffer.Write(p[:5])
	return n, errors.New("no space left")
}

// After a line that could be written in part only, the next one begins on its own.
func TestOutput_PartialLineEnded(t *testing.T) {
	var to short
	lost := 0
	out := app.NewOutput(&to, time.Now).Within(time.Second, func(n int) { lost += n })
	for _, lines := range []string{"a\nbcdefg\nh\n", "ijk\n", "lmn\n"} {
		_, _ = out.Write([]byte(lines))
	}
	if got := to.String(); got != "a\nbcd\nijk\nlmn\n" || lost != 2 {
		t.Errorf("%q, %d lost", got, lost)
	}
}

// regular is a file whose disk is slow.
type regular struct{ io.Writer }

func (regular) Stat() (fs.FileInfo, error) { return os.Stat(os.Args[0]) }

// A write to a file waits for its disk.
func TestOutput_FileBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		out := app.NewOutput(regular{writer}, time.Now).Within(time.Second, nil)
		var wait sync.WaitGroup
		for _, line := range []string{"one\n", "two\n"} {
			wait.Go(func() {
				if _, err := out.Write([]byte(line)); err != nil {
					t.Error(err)
				}
			})
		}
		<-time.After(time.Hour) // of the bubble
		var text [8]byte
		if _, err := io.ReadFull(reader, text[:]); err != nil {
			t.Fatal(err)
		}
		wait.Wait()
	})
}
