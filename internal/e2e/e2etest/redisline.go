package e2etest

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// RedisLine is the way from Countersign to Redis, which can be broken at any command:
// whether the command still arrives, and whether the line falls silent or goes
// down.
type RedisLine struct {
	net.Listener
	redis  string
	mu     sync.Mutex
	ends   map[net.Conn]bool
	left   int // commands that pass before it breaks
	how    Breakage
	broken bool
}

type Breakage struct {
	Arrives bool // the command is carried out, and its answer is lost
	Silent  bool // connections stay open
}

const unbroken = 1 << 30

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

func (l *RedisLine) URL() string { return "redis://" + l.Addr().String() }

// BreakAfter lets so many commands pass and breaks at the next.
func (l *RedisLine) BreakAfter(commands int, how Breakage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.how = commands, how
}

// Mend drops every connection with what it held, and lets new ones be; it
// reports whether the line was broken.
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

// carry carries what passes, until one end is closed.
func (l *RedisLine) carry(to, from net.Conn, pass func() bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !pass() {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// command decides about a command; go-redis writes each in one piece.
func (l *RedisLine) command() (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return false
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

// answers decides about an answer.
func (l *RedisLine) answers() (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken && !l.how.Silent {
		l.hangUp()
	}
	return !l.broken
}

// healthy reports that nothing is to break.
func (l *RedisLine) healthy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left >= unbroken/2 && !l.broken
}

// Patient asks again while the line is healthy and Redis is too slow all the
// same: on a busy machine, what a test prepares takes more than one try.
type Patient struct {
	http.RoundTripper
	Line *RedisLine
}

func (c *Client) Patiently(l *RedisLine) *Client {
	c.HTTP.Transport = &Patient{c.HTTP.Transport, l}
	return c
}

func (p *Patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for tries := 0; ; tries++ {
		response, err := p.RoundTripper.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || !p.Line.healthy() || tries == 10 {
			return response, err
		}
		response.Body.Close()
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
}
