package main

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// redisLine is the way from Countersign to Redis, which can be broken at any command:
// whether the command still arrives, and whether the line falls silent or goes
// down.
type redisLine struct {
	net.Listener
	redis  string
	mu     sync.Mutex
	ends   map[net.Conn]bool
	left   int // commands that pass before it breaks
	how    breakage
	broken bool
}

type breakage struct {
	arrives bool // the command is carried out, and its answer is lost
	silent  bool // connections stay open
}

const unbroken = 1 << 30

func newRedisLine(t testing.TB, redis string) *redisLine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &redisLine{Listener: listener, redis: redis, ends: map[net.Conn]bool{}, left: unbroken}
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
	t.Cleanup(func() { listener.Close(); l.mend(); wait.Wait() })
	return l
}

func (l *redisLine) url() string { return "redis://" + l.Addr().String() }

// breakAfter lets so many commands pass and breaks at the next.
func (l *redisLine) breakAfter(commands int, how breakage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.how = commands, how
}

// mend drops every connection with what it held, and lets new ones be; it
// reports whether the line was broken.
func (l *redisLine) mend() (broken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	broken, l.broken, l.left = l.broken, false, unbroken
	l.hangUp()
	return broken
}

func (l *redisLine) hangUp() {
	for end := range l.ends {
		end.Close()
	}
	clear(l.ends)
}

func (l *redisLine) connect(wait *sync.WaitGroup, client net.Conn) {
	server, err := net.Dial("tcp", l.redis)
	if err != nil {
		client.Close()
		return
	}
	l.mu.Lock()
	refused := l.broken && !l.how.silent
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
func (l *redisLine) carry(to, from net.Conn, pass func() bool) {
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
func (l *redisLine) command() (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return false
	}
	if l.left--; l.left >= 0 {
		return true
	}
	l.broken = true
	if !l.how.arrives && !l.how.silent {
		l.hangUp()
	}
	return l.how.arrives
}

// answers decides about an answer.
func (l *redisLine) answers() (pass bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken && !l.how.silent {
		l.hangUp()
	}
	return !l.broken
}

// healthy reports that nothing is to break.
func (l *redisLine) healthy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left >= unbroken/2 && !l.broken
}

// patient asks again while the line is healthy and Redis is too slow all the
// same: on a busy machine, what a test prepares takes more than one try.
type patient struct {
	http.RoundTripper
	line *redisLine
}

func (c *client) patiently(l *redisLine) *client {
	c.http.Transport = &patient{c.http.Transport, l}
	return c
}

func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for tries := 0; ; tries++ {
		response, err := p.RoundTripper.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || !p.line.healthy() || tries == 10 {
			return response, err
		}
		response.Body.Close()
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
}
