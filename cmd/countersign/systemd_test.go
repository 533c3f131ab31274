package main

import (
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// manager is the socket of a service manager.
type manager struct {
	*net.UnixConn
	t *testing.T
}

func newManager(t *testing.T) (m manager, address string) {
	t.Helper()
	address = filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return manager{socket, t}, address
}

// next returns what it is told next, "" if nothing within so long.
func (m manager) next(within time.Duration) string {
	m.t.Helper()
	if err := m.SetReadDeadline(time.Now().Add(within)); err != nil {
		m.t.Fatal(err)
	}
	told := make([]byte, 4096)
	n, err := m.Read(told)
	if err != nil {
		return ""
	}
	return string(told[:n])
}

// waits returns once it is told something that begins so.
func (m manager) waits(state string) {
	m.t.Helper()
	e2etest.Eventually(m.t, "it is told "+state, func() bool { return strings.HasPrefix(m.next(time.Second), state) })
}

// systemd is told when the program serves and when it stops, and its watchdog only while
// the program takes connections.
func TestSystemd_NotifiedOfReadinessAndWatchdog(t *testing.T) {
	t.Parallel()
	told, address := newManager(t)
	watched := program
	var log logtest.Log
	watched.Log = &log
	defer func() {
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	watched.Environ = slices.Concat(program.Environ, []string{"NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=1000000"})
	p := watched.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_DRAIN_DELAY=0s")
	if state := told.next(time.Minute); !strings.HasPrefix(state, "READY=1\n") {
		t.Fatalf("first it is told %q", state)
	}
	told.waits("WATCHDOG=1")
	told.waits("WATCHDOG=1")

	files := func(limit string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(p.Process.Pid), "--nofile="+limit+":").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	files("1") // no connection can be accepted any more
	e2etest.Eventually(t, "the failed self-check stops the keep-alive", func() bool { return told.next(3*time.Second) == "" })
	files("1024")
	told.waits("WATCHDOG=1")

	p.Terminate()
	told.waits("STOPPING=1")
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

// A watchdog of another process is none of ours, and a socket that is not there is told of
// before anything else begins.
func TestSystemd_OtherWatchdogAndMissingSocket(t *testing.T) {
	told, address := newManager(t)
	for _, c := range []struct {
		environ  []string
		watchdog time.Duration
		fails    bool
	}{
		{environ: nil},
		{environ: []string{"NOTIFY_SOCKET=" + address}},
		{environ: []string{"NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=30000000"}, watchdog: 30 * time.Second},
		{environ: []string{"NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=30000000", "WATCHDOG_PID=1"}},
		{environ: []string{"NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=soon"}, fails: true},
		{environ: []string{"NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=0"}, fails: true},
		{environ: []string{"NOTIFY_SOCKET=" + address + ".not"}, fails: true},
	} {
		s, err := command{environ: c.environ}.systemd(nil)
		if (err != nil) != c.fails {
			t.Errorf("%v: %v", c.environ, err)
		}
		if s == nil {
			s.tell("READY=1") // nobody
			continue
		}
		if s.watchdog != c.watchdog {
			t.Errorf("%v: %v", c.environ, s.watchdog)
		}
		s.tell("READY=1")
		if state := told.next(time.Minute); state != "READY=1" {
			t.Errorf("it is told %q", state)
		}
	}
}
