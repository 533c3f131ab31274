package e2etest

import (
	"bytes"
	"net"
	"slices"
	"sync"
	"testing"
)

// RedisLine is a proxy in front of Redis that breaks at a chosen command.
type RedisLine struct {
	net.Listener
	// CountsIndex makes the commands of the package index count as well.
	CountsIndex bool

	redis  string
	mu     sync.Mutex
	ends   map[net.Conn]bool
	left   int // commands that pass before it breaks
	how    Breakage
	broken bool
}

// Breakage says how the line breaks.
type Breakage struct {
	Arrives bool // the command is carried out, and its answer is lost
	Silent  bool // connections stay open
}

const unbroken = 1 << 30

// NewRedisLine returns a proxy to the Redis at this address.
func NewRedisLine(t testing.TB, redis string) *RedisLine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &RedisLine{Listener: listener, redis: redis, ends: map[net.Conn]bool{}, left: unbroken}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { l.connect(&wait, client) })
		}
	})
	t.Cleanup(func() { listener.Close(); l.Mend(); wait.Wait() })
	return l
}

// URL returns the value for REDIS_URL.
func (l *RedisLine) URL() string { return "redis://" + l.Addr().String() }

// BreakAfter lets this many commands pass and breaks at the next.
func (l *RedisLine) BreakAfter(commands int, how Breakage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.how = commands, how
}

// Mend closes every connection and accepts new ones again. It reports whether the line
// was broken.
func (l *RedisLine) Mend() (broken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	broken, l.broken, l.left = l.broken, false, unbroken
	l.hangUp()
	return broken
}

func (l *RedisLine) hangUp() {
	for end := range l.ends {
		end.Close()
	}
	clear(l.ends)
}

func (l *RedisLine) connect(wait *sync.WaitGroup, client net.Conn) {
	server, err := net.Dial("tcp", l.redis)
	if err != nil {
		client.Close()
		return
	}
	l.mu.Lock()
	refused := l.broken && !l.how.Silent
	l.ends[client], l.ends[server] = true, true
	l.mu.Unlock()
	if refused {
		client.Close()
	}
	wait.Go(func() { l.carry(client, server, l.answers); client.Close() })
	l.carry(server, client, l.command)
	server.Close()
}

// carry copies the passing data until one end is closed.
func (l *RedisLine) carry(to, from net.Conn, pass func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !pass(buffer[:n]) {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// command reports whether a command passes; go-redis writes each in one piece. The
// program's background commands are not counted, because they come at any time.
func (l *RedisLine) command(sent []byte) (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return false
	}
	if l.ownAccount(sent) {
		return true
	}
	if l.left--; l.left >= 0 {
		return true
	}
	l.broken = true
	if !l.how.Arrives && !l.how.Silent {
		l.hangUp()
	}
	return l.how.Arrives
}

// ownAccount reports whether a command is not caused by a request: those of a new
// connection, of the readiness probe, of the nodes' events, of the audit trail, of
// repeated scripts, and of the background sweep of the package index.
func (l *RedisLine) ownAccount(sent []byte) bool {
	own := []string{"\r\nhello\r\n", "\r\nping\r\n", "\r\nsubscribe\r\n", "cs:kept:", "cs:a:", "cs:repeated"}
	if !l.CountsIndex {
		own = append(own, "cs:access:{i}:", "cs:lease:sweep:", "cs:lease:callbacks:")
	}
	return slices.ContainsFunc(own, func(mark string) bool { return bytes.Contains(sent, []byte(mark)) })
}

// answers reports whether an answer passes.
func (l *RedisLine) answers([]byte) (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken && !l.how.Silent {
		l.hangUp()
	}
	return !l.broken
}

// healthy reports whether nothing is broken or about to break.
func (l *RedisLine) healthy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left >= unbroken/2 && !l.broken
}
