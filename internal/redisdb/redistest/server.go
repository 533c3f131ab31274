// Package redistest starts real redis-server processes for tests, and breaks
// them: it kills, stalls and restarts them, and lets time pass for their keys.
//
// Everything listens on loopback, lives in the test's temporary directory and is
// gone when the test is. Where no redis-server is installed, the test is skipped
// and says so.
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

// patience is how long a server may take to do what a test waits for.
const patience = time.Minute

// Server is one redis-server process. Its methods fail the test that started it
// when the process does not do as told.
type Server struct {
	// Addr is its address, 127.0.0.1:port; it stays through Kill and Restart.
	Addr string

	t       testing.TB
	args    []string
	process *exec.Cmd // nil after Kill
	stalled bool
}

// Start starts a redis-server on a free port. It writes an append-only file before it
// answers, so that what it answered survives Kill: the kernel keeps what a killed
// process has written, and nothing waits for the disk. Further arguments are
// redis-server's own.
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

// running says that the process runs and is not stopped.
func (s *Server) running() bool { return s.process != nil && !s.stalled }

// URL is the address as a redis:// URL.
func (s *Server) URL() string { return "redis://" + s.Addr }

// Kill ends the process the hard way; connections are refused from then on.
func (s *Server) Kill() {
	s.t.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.Process.Kill(); err != nil {
		s.t.Errorf("redistest: kill: %v", err)
	}
	_ = s.process.Wait() // says only that it was killed
	s.process, s.stalled = nil, false
}

// Restart starts a killed server again, on its port, with what it held.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.launch()
}

// Stall stops the process without ending it (SIGSTOP): it takes connections and
// never answers.
func (s *Server) Stall() {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
	s.stalled = true
}

// Resume lets a stalled server go on.
func (s *Server) Resume() {
	s.t.Helper()
	s.signal(syscall.SIGCONT)
	s.stalled = false
}

// Client is a plain client of this server, closed with the test.
func (s *Server) Client() *redis.Client {
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

// ping asks in Redis's inline form, without a client's pool and retries.
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

// Eventually waits until condition holds, and fails the test after patience without.
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

// A block of ports belongs to one test program at a time: whoever listens at its first
// port. Packages are tested side by side, and a server that one of them has killed keeps
// its port until it starts again.
const (
	firstPort, blockSize, blocks = 10000, 100, 100
	busOffset                    = 10000 // a cluster's nodes talk at their port plus this
)

// taken are the ports that this program has given away; guarded by its lock.
var taken struct {
	sync.Mutex
	blocks []net.Listener // open for as long as the program runs
	next   int
}

// FreePort finds a port of 127.0.0.1 that is free, and so is the one busOffset above it. It
// stays the test's own though nobody listens at it: both lie below those that the system
// hands out by itself, in a block that no other test program has.
func FreePort(t testing.TB) int {
	t.Helper()
	taken.Lock()
	defer taken.Unlock()
	for range blockSize * 10 {
		if taken.next++; taken.next%blockSize == 1 {
			taken.next = claimBlock(t) + 1
		}
		if listenOnce(taken.next) == nil && listenOnce(taken.next+busOffset) == nil {
			return taken.next
		}
	}
	t.Fatal("redistest: no free port")
	return 0
}

// claimBlock listens at the first port of a block that nobody else has. taken is locked.
func claimBlock(t testing.TB) (first int) {
	t.Helper()
	for _, i := range rand.Perm(blocks) {
		first = firstPort + i*blockSize
		if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first))); err == nil {
			taken.blocks = append(taken.blocks, listener)
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
