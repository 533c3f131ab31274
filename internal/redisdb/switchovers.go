package redisdb

import (
	"context"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// followed limits how long a switch-over is followed that only one Sentinel knows of. Sentinels
// tell each other every two seconds.
const followed = 5 * time.Second

// switchOvers hears every Sentinel of the URL, and follows the first that tells of a
// switch-over. go-redis hears one Sentinel alone, each node another: until the last of them
// knows, two nodes would work with two masters, and what one has written the other would not
// find.
type switchOvers struct {
	master string // its name

	mu    sync.Mutex
	moved map[string]move         // by the address of the master of before
	open  map[*addressedConn]bool // the connections to masters
}

// move is a switch-over to another address.
type move struct {
	to    string
	until time.Time // it is followed
}

// hear follows a message of a switch-over: the master's name, and host and port of the one of
// before and of the next.
func (s *switchOvers) hear(message string) {
	parts := strings.Fields(message)
	if len(parts) != 5 || parts[0] != s.master {
		return
	}
	before, next := net.JoinHostPort(parts[1], parts[2]), net.JoinHostPort(parts[3], parts[4])
	s.mu.Lock()
	delete(s.moved, next)
	s.moved[before] = move{next, time.Now().Add(followed)} //nolint:forbidigo // Sentinels agree by the machine's own time.
	var stale []*addressedConn
	for conn := range s.open {
		if conn.address == before {
			stale = append(stale, conn)
		}
	}
	s.mu.Unlock()
	for _, conn := range stale {
		_ = conn.Close() // it is not used again
	}
}

// now returns the address to dial for a master that a Sentinel names, after all switch-overs
// since. The last master has no successor, so there is no circle.
func (s *switchOvers) now(address string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for m, ok := s.moved[address]; ok && time.Now().Before(m.until); m, ok = s.moved[address] { //nolint:forbidigo // as above
		address = m.to
	}
	return address
}

// watch keeps an open connection in view until it is closed.
func (s *switchOvers) watch(conn *addressedConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[conn] = true
	conn.closed = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, conn)
	}
}

// listen hears the Sentinels of o until stop is called.
func (s *switchOvers) listen(o *redis.FailoverOptions) (stop func()) {
	var listeners sync.WaitGroup
	var ends []func() error
	for _, address := range o.SentinelAddrs {
		sentinel := redis.NewSentinelClient(&redis.Options{
			Addr: address, Username: o.SentinelUsername, Password: o.SentinelPassword, Dialer: o.Dialer, TLSConfig: o.TLSConfig,
			DialTimeout: o.DialTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, Protocol: resp2, DisableIdentity: true,
		})
		messages := sentinel.Subscribe(context.Background(), "+switch-master")
		listeners.Go(func() {
			for message := range messages.Channel() {
				s.hear(message.Payload)
			}
		})
		ends = append(ends, messages.Close, sentinel.Close)
	}
	return func() {
		for _, end := range ends {
			_ = end() // nothing is left to be told
		}
		listeners.Wait()
	}
}
