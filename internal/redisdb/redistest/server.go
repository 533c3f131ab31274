// Package redistest starts real redis-server processes for tests, and kills, stalls and
// restarts them, or moves time for their keys.
//
// Every server listens on loopback, keeps its files in the test's temporary directory and
// ends with the test. Without an installed redis-server, the test is skipped with a
// message.
package redistest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// patience limits how long a test waits for a server.
const patience = time.Minute

// Server is one redis-server process. Its methods fail the test that started it if they
// do not succeed.
type Server struct {
	// Addr is its address, 127.0.0.1:port; it stays through Kill and Restart.
	Addr string

	t       testing.TB
	args    []string
	tls     string    // its address over TLS, if it has one
	process *exec.Cmd // nil after Kill
	stalled bool
}

// Start starts a redis-server on a free port. It writes an append-only file before it
// answers, so that acknowledged writes survive Kill: the kernel keeps the bytes that a
// killed process has written, and nothing waits for the disk. Further arguments go to
// redis-server.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	s := newServer(t, FreePort(t), args...)
	s.launch()
	return s
}

// newServer prepares a server on port without starting it.
func newServer(t testing.TB, port int, args ...string) *Server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not installed: nothing real to test against")
	}
	dir := t.TempDir()
	s := &Server{t: t, Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	s.args = append([]string{
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir,
		"--appendonly", "yes", "--appendfsync", "no", "--save", "", "--logfile", filepath.Join(dir, "log"),
		"--daemonize", "no", "--shutdown-timeout", "0",
	}, args...)
	t.Cleanup(s.Kill)
	return s
}

// running reports whether the process runs and is not stopped.
func (s *Server) running() bool { return s.process != nil && !s.stalled }

// URL returns the address as a redis:// URL.
func (s *Server) URL() string { return "redis://" + s.Addr }

// Kill kills the process (SIGKILL), and a child that writes a file for it; connections are
// refused from then on.
func (s *Server) Kill() {
	s.t.Helper()
	if s.process == nil {
		return
	}
	if err := kill(s.process.Process); err != nil {
		s.t.Errorf("redistest: kill: %v", err)
	}
	_ = s.process.Wait() // the error only says that it was killed
	s.process, s.stalled = nil, false
}

// Restart starts a killed server again, on its port, with its data.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.launch()
}

// Stall stops the process without ending it (SIGSTOP): it accepts connections and never
// answers.
func (s *Server) Stall() {
	s.t.Helper()
	s.signal(StallSignal)
	s.stalled = true
}

// Resume continues a stalled server.
func (s *Server) Resume() {
	s.t.Helper()
	s.signal(ResumeSignal)
	s.stalled = false
}

// Client is a plain client of a server, for the commands of redis.Cmdable and any other.
type Client interface {
	redis.Cmdable
	Do(ctx context.Context, command ...any) *redis.Cmd
}

// Client returns a plain client of this server, closed with the test.
func (s *Server) Client() Client {
	client := redis.NewClient(&redis.Options{Addr: s.Addr, Protocol: 2, DisableIdentity: true})
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}

func (s *Server) signal(signal syscall.Signal) {
	s.t.Helper()
	if s.process == nil {
		s.t.Fatalf("redistest: %v for a server that is not running", signal)
	}
	if err := s.process.Process.Signal(signal); err != nil {
		s.t.Fatalf("redistest: %v: %v", signal, err)
	}
}

// launch starts the process and waits until it answers.
func (s *Server) launch() {
	s.t.Helper()
	s.process = exec.Command("redis-server", s.args...)
	s.process.SysProcAttr = dieWithParent()
	if err := s.process.Start(); err != nil {
		s.process = nil
		s.t.Fatalf("redistest: start redis-server: %v", err)
	}
	Eventually(s.t, "redis-server answers on "+s.Addr, func() bool { return ping(s.Addr) })
}

// ping sends PING in Redis's inline form, without a client's pool and retries.
func ping(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	if _, err := fmt.Fprint(conn, "PING\r\n"); err != nil {
		return false
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && strings.HasPrefix(line, "+PONG")
}

// Eventually waits until condition holds, and fails the test after patience.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("redistest: waited %v in vain: %s", patience, what)
		case <-ticker.C:
		}
	}
}

// A block of ports belongs to the test program that listens at its first port. Packages
// are tested side by side, and a killed server keeps its port until it starts again.
const (
	firstPort, blockSize, blocks = 10000, 100, 100
	busOffset                    = 10000 // a cluster's nodes talk at their port plus this
)

// handedOut are the ports that this program has handed out; guarded by its lock.
var handedOut struct {
	sync.Mutex
	blocks []net.Listener // open for as long as the program runs
	next   int
}

// FreePort returns a free port of 127.0.0.1 for which port + busOffset is free too. Both
// stay the test's own even if nothing listens there: they lie below the system's
// ephemeral ports, in a block of this test program.
func FreePort(t testing.TB) int {
	t.Helper()
	handedOut.Lock()
	defer handedOut.Unlock()
	for range blockSize * 10 {
		if handedOut.next++; handedOut.next%blockSize == 1 {
			handedOut.next = claimBlock(t) + 1
		}
		if listenOnce(handedOut.next) == nil && listenOnce(handedOut.next+busOffset) == nil {
			return handedOut.next
		}
	}
	t.Fatal("redistest: no free port")
	return 0
}

// claimBlock listens at the first port of a free block. handedOut is locked.
func claimBlock(t testing.TB) (first int) {
	t.Helper()
	for _, i := range rand.Perm(blocks) {
		first = firstPort + i*blockSize
		if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first))); err == nil {
			handedOut.blocks = append(handedOut.blocks, listener)
			return first
		}
	}
	t.Fatal("redistest: every block of ports is taken")
	return 0
}

// listenOnce opens and closes a listener.
func listenOnce(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}
