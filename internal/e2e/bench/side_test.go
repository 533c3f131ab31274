package bench_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
	// sides whose requests need none. prepared are such requests for one slice: the client
	// makes no proofs while the server is measured.
	proven   func(place int, request []byte) []byte
	prepared [][]byte
	// allocations returns how many the server has made so far; nil for sides that are not
	// asked.
	allocations func(*testing.B) float64
}

// mallocs is the series of a Go program's metrics that counts its allocations.
const mallocs = "go_memstats_mallocs_total "

// number returns the number that follows prefix in a line of what is at the URL.
func number(b *testing.B, url, prefix string) float64 {
	b.Helper()
	response, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), prefix); found {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatalf("%s has no %s", url, prefix)
	return 0
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

// provenRate requests with proofs are prepared for each second of a slice.
const provenRate = 8000

// prepare makes the proofs of a slice.
func (s *side) prepare(long time.Duration) {
	if s.proven == nil {
		return
	}
	s.next.Store(0)
	s.prepared = make([][]byte, int(provenRate*long.Seconds()))
	var all sync.WaitGroup
	for half := range 2 {
		all.Go(func() {
			for i := half; i < len(s.prepared); i += 2 {
				place := i % len(s.requests)
				s.prepared[i] = s.proven(place, s.requests[place])
			}
		})
	}
	all.Wait()
}

// request returns the next request.
func (s *side) request() []byte {
	next := int(s.next.Add(1))
	place := next % len(s.requests)
	switch {
	case s.proven == nil:
		return s.requests[place]
	case next < len(s.prepared):
		return s.prepared[next]
	}
	return s.proven(place, s.requests[place])
}

// ask makes one exchange. It parses as little of the answer as possible, so that the
// client's cost does not hide the server's.
func (s *side) ask(conn *bufio.ReadWriter) (body []byte, err error) {
	if _, err = conn.Write(s.request()); err != nil {
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
