package main

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// metric returns the value of a counter without labels.
func metric(p *e2etest.Process, name string) int {
	found := regexp.MustCompile(`(?m)^` + name + ` (\d+)$`).FindStringSubmatch(p.Get(p.Admin + "/metrics"))
	if found == nil {
		return -1
	}
	value, _ := strconv.Atoi(found[1])
	return value
}

// pipe returns both ends of a pipe; the test closes them at its end.
func pipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); writer.Close() })
	return reader, writer
}

// ends checks that the program ends by itself when it is told to.
func ends(t *testing.T, p *e2etest.Process) {
	t.Helper()
	p.Terminate()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

// Whatever becomes of the reader of the log, requests are answered, and lost lines are
// counted.
func TestLog_ReaderStalls(t *testing.T) {
	for name, gone := range map[string]bool{"has gone": true, "takes nothing": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, writer := pipe(t)
			logged := program
			logged.Log = writer
			p := logged.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
			if gone {
				reader.Close()
			}
			for range 1000 {
				response, err := http.Get(p.URL + "/session")
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != http.StatusUnauthorized {
					t.Fatalf("status %d", response.StatusCode)
				}
			}
			e2etest.Eventually(t, "lost lines are counted", func() bool { return metric(p, "countersign_log_lines_lost_total") > 0 })
			ends(t, p)
		})
	}
}

// Nor do answers depend on the reader of the audit trail.
func TestAuditTrail_ReaderStalls(t *testing.T) {
	t.Parallel()
	unread := program
	unread.Unread = true
	p := unread.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_AUDIT_LOG=stdout")
	for range 1000 { // more than fit into a pipe
		if status := p.Post(p.URL+"/users/alice@sandbox/login", `{"credentials":{"passKey":"not it"}}`); status != http.StatusConflict && status != http.StatusTooManyRequests {
			t.Fatalf("status %d", status)
		}
	}
	if lost := metric(p, "countersign_audit_events_lost_total"); lost <= 0 {
		t.Errorf("%d events are counted as lost", lost)
	}
	ends(t, p)
}
