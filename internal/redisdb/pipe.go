package redisdb

import (
	"bytes"
	"net"
	"sync"
)

// pipe is the client's end of a connection to the embedded Redis. Like a socket's, its
// writes do not wait for the server. net.Pipe has no buffer: in a pipeline longer than
// the server's own buffer, the client would wait for the server to read it, and the
// server for the client to read its replies.
type pipe struct {
	net.Conn
	writes chan []byte
	closed chan struct{}
	close  sync.Once
}

func newPipe(conn net.Conn) *pipe {
	p := &pipe{Conn: conn, writes: make(chan []byte, 1024), closed: make(chan struct{})}
	go p.send()
	return p
}

func (p *pipe) send() {
	for {
		select {
		case b := <-p.writes:
			if _, err := p.Conn.Write(b); err != nil {
				_ = p.Close()
				return
			}
		case <-p.closed:
			return
		}
	}
}

// Write queues b.
func (p *pipe) Write(b []byte) (int, error) {
	select {
	case p.writes <- bytes.Clone(b):
		return len(b), nil
	case <-p.closed:
		return 0, net.ErrClosed
	}
}

// Close closes the connection; queued bytes are lost.
func (p *pipe) Close() error {
	p.close.Do(func() { close(p.closed) })
	return p.Conn.Close()
}
