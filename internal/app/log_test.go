package app_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
	"countersign/internal/logtest"
)

// Many goroutines write at once: each line reaches the reader whole, or is counted as lost.
func TestLog_ManyWriters(t *testing.T) {
	reader, writer := io.Pipe()
	log := app.NewLog(config.Log{Format: "json"}, app.NewOutput(writer, time.Now))
	const writers, each = 8, 100 // less than may wait for a reader
	go func() {
		var wait sync.WaitGroup
		for i := range writers {
			wait.Go(func() {
				for k := range each {
					log.Info("line", "number", fmt.Sprintf("%d-%d", i, k), "long", strings.Repeat("x", 100))
				}
			})
		}
		wait.Wait()
		log.Flush()
		writer.Close()
	}()
	all, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
	if lost := int(log.Lost()); len(lines)+lost != writers*each {
		t.Errorf("%d lines of %d, and %d were lost", len(lines), writers*each, lost)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, `{"time"`) || !strings.HasSuffix(line, `x"}`) {
			t.Fatalf("a broken line: %s", line)
		}
	}
}

// TestLog_WritesWithoutFlush waits for lines without a flush.
func TestLog_WritesWithoutFlush(t *testing.T) {
	reader, writer := io.Pipe()
	log := app.NewLog(config.Log{Format: "text"}, app.NewOutput(writer, time.Now))
	for _, text := range []string{"first", "second"} {
		log.Info(text)
		buffer := make([]byte, 1000)
		n, err := reader.Read(buffer)
		if err != nil || !strings.Contains(string(buffer[:n]), "msg="+text) {
			t.Errorf("%v: %s", err, buffer[:n])
		}
	}
}

// TestLog_WritesErrorsAtOnce checks errors without waiting, through a logger derived from
// the log's.
func TestLog_WritesErrorsAtOnce(t *testing.T) {
	var writes logtest.Log
	log := app.NewLog(config.Log{Format: "text"}, app.NewOutput(&writes, time.Now))
	log.With("service", "identity").WithGroup("call").Info("before")
	log.With("service", "identity").WithGroup("call").Error("broken", "why", "it")
	if got := writes.String(); !strings.Contains(got, "msg=before service=identity") || !strings.Contains(got, "call.why=it") {
		t.Errorf("written: %s", got)
	}
	if log.Enabled(t.Context(), slog.LevelDebug) {
		t.Error("the level is not kept")
	}
}

// In JSON a duration is a number of seconds, in text it has its unit.
func TestLog_DurationsInSeconds(t *testing.T) {
	for format, want := range map[string]string{"json": `"duration":0.0015`, "text": "duration=1.5ms"} {
		var out bytes.Buffer
		log := app.NewLog(config.Log{Format: format}, app.NewOutput(&out, time.Now))
		log.Info("x", "duration", 1500*time.Microsecond)
		log.Flush()
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", format, out.String())
		}
	}
}

// What a library quotes of an answer stays out of the log.
func TestLog_LibraryMessagesQuoteNothing(t *testing.T) {
	var to bytes.Buffer
	log := app.NewLog(config.Log{}, app.NewOutput(&to, time.Now))
	fmt.Fprintf(log.Library(), "Unsolicited response received on idle HTTP channel starting with %q; err=<nil>\n", `{"userID":"alice"}`)
	log.Flush()
	if got := to.String(); !strings.Contains(got, `text="Unsolicited response received on idle HTTP channel"`) || strings.Contains(got, "alice") {
		t.Errorf("the log has %s", got)
	}
}
