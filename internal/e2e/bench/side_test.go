package bench_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// side is a server under test: its process, and the requests that it gets in turn.
type side struct {
	name     string
	pid      int
	address  string
	requests [][]byte
	conns    []*bufio.ReadWriter
	next     atomic.Int64
	// proven returns a request, whose place in requests is given, with a new proof; nil for
	// sides whose requests need none.
	proven func(place int, request []byte) []byte
}

func newSide(name string, pid int, address string, all []holder, path func(user string) string) *side {
	s := &side{name: name, pid: pid, address: address}
	for _, i := range rand.Perm(len(all)) {
		s.requests = append(s.requests, request(path(all[i].user), all[i].header()))
	}
	return s
}

// request returns a GET like a browser's or an app's.
func request(path string, headers ...string) []byte {
	headers = append(headers, "Host: "+publicHost, "Accept-Language: de-DE,de;q=0.9,en;q=0.8")
	return []byte("GET " + path + " HTTP/1.1\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n")
}

// connect replaces the open connections by n new ones.
func (s *side) connect(b *testing.B, n int) {
	b.Helper()
	s.conns = nil
	for range n {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		s.conns = append(s.conns, bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn)))
	}
}

// ask makes one exchange. It parses as little of the answer as possible, so that the
// client's cost does not hide the server's.
func (s *side) ask(conn *bufio.ReadWriter) (body []byte, err error) {
	place := int(s.next.Add(1)) % len(s.requests)
	sent := s.requests[place]
	if s.proven != nil {
		sent = s.proven(place, sent)
	}
	if _, err = conn.Write(sent); err != nil {
		return nil, err
	}
	if err = conn.Flush(); err != nil {
		return nil, err
	}
	status, length := "", -1
	for {
		line, err := conn.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		switch {
		case status == "":
			status = string(line[9:12])
		case len(line) == len("\r\n"):
			body = make([]byte, max(0, length))
			if _, err = io.ReadFull(conn, body); err == nil && (status != "200" || length < 0) {
				err = fmt.Errorf("status %s, length %d: %s", status, length, body)
			}
			return body, err
		case bytes.HasPrefix(line, contentLength):
			if length, err = strconv.Atoi(string(line[len(contentLength) : len(line)-2])); err != nil {
				return nil, err
			}
		}
	}
}

var contentLength = []byte("Content-Length: ")
